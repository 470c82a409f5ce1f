// Elements of 16 bits in vectors of up to 16 bytes: loaded, cut out at any address, copied into shared memory.
//
// Source: PTX ISA, section on cp.async.
#pragma once

// The type that is loaded and stored in one piece of so many bytes.
template <int BYTES> struct Whole {
    using Type = unsigned short;
};
template <> struct Whole<4> {
    using Type = unsigned;
};
template <> struct Whole<8> {
    using Type = uint2;
};
template <> struct Whole<16> {
    using Type = uint4;
};

// How many elements past a 16-byte boundary an address is.
template <typename T> __device__ __forceinline__ int elements_past_boundary(const T* at)
{
    return static_cast<int>(static_cast<unsigned>(reinterpret_cast<unsigned long long>(at)) % 16 / sizeof(T));
}

// The eight elements of two neighbouring pieces from number `shift` on, by halving steps: by four, by two, by one.
__device__ __forceinline__ uint4 cut_out(const uint4& low, const uint4& high, int shift)
{
    unsigned word[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int i = 0; i < 6; ++i)
        word[i] = shift & 4 ? word[i + 2] : word[i];
#pragma unroll
    for (int i = 0; i < 5; ++i)
        word[i] = shift & 2 ? word[i + 1] : word[i];
#pragma unroll
    for (int i = 0; i < 4; ++i)
        word[i] = __funnelshift_r(word[i], word[i + 1], (shift & 1) * 16);
    return make_uint4(word[0], word[1], word[2], word[3]);
}

// Close the group of the copies begun since the last one; a group may be empty.
__device__ inline void end_of_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Wait until at most the last `Pending` groups are under way.
template <int Pending> __device__ inline void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}
