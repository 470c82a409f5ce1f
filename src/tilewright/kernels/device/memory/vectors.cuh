// Elements of 16 bits in vectors of up to 16 bytes: loaded, cut out at any address, copied into shared memory.
//
// Source: PTX ISA, section on cp.async.
#pragma once

constexpr int VECTOR_BYTES = 16;              // what a thread loads or stores at once, at most
constexpr int VECTOR_ELEMENTS = 8;            // of 16 bits
constexpr unsigned FIRST_OF_TWO = 0xFFFF;     // of the elements in a register
constexpr int MOST_SHARED_BYTES = 227 * 1024; // of a block, on the chips that have most

// Lines in shared memory that are this much longer than a tile begin in different banks, eight of them, which is what
// one instruction reads (ldmatrix) or a warp writes.
constexpr int PADDING = VECTOR_ELEMENTS;

// Without padding the copy engine and wgmma reach the same by a swizzle. Rows of 128 bytes (64 elements) stand eight to
// an atom, in which vector v of row r is at place (v XOR r): eight threads that read one column of vectors touch all
// 32 banks.
constexpr int SWIZZLE_BYTES = 128;
constexpr int SWIZZLE_ELEMENTS = 64;
constexpr int SWIZZLE_ROWS = 8;
constexpr int SWIZZLE_ATOM_BYTES = SWIZZLE_ROWS * SWIZZLE_BYTES; // tiles begin on a multiple
constexpr int VECTOR_BIT = 4, SWIZZLE_ROW_BIT = 7; // of an offset: from where on it numbers vectors, and rows

// The largest power of two up to `most` that divides `value`.
__host__ __device__ constexpr int power_of_two_in(int value, int most)
{
    int power = 1;
    while (power < most && value % (2 * power) == 0)
        power *= 2;
    return power;
}

// Where the byte `offset` of a box of LINE_BYTES-wide lines is. Lines of 64 or 32 bytes are swizzled likewise, by
// another rule in each of four or two; a line of 16 bytes is as it was. Source: CUDA driver API, CUtensorMapSwizzle.
template <int LINE_BYTES> __device__ __forceinline__ int swizzled(int offset)
{
    return offset ^ ((offset >> SWIZZLE_ROW_BIT & (LINE_BYTES / VECTOR_BYTES - 1)) << VECTOR_BIT);
}

// The unsigned type of so many bytes.
template <int BYTES> struct VectorOf {
    using Type = unsigned short;
};
template <> struct VectorOf<4> {
    using Type = unsigned;
};
template <> struct VectorOf<8> {
    using Type = uint2;
};
template <> struct VectorOf<16> {
    using Type = uint4;
};

// Shared memory as PTX addresses it: 32 bits within the block's (or the cluster's) window.
__device__ __forceinline__ unsigned shared_address(const void* pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// How many elements past a 16-byte boundary an address is.
template <typename T> __device__ __forceinline__ int elements_past_boundary(const T* at)
{
    return static_cast<int>(static_cast<unsigned>(reinterpret_cast<unsigned long long>(at)) % VECTOR_BYTES / sizeof(T));
}

// The eight elements of two neighbouring vectors from number `shift` on, by halving steps: by four, by two, by one.
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

// The first `inside` elements of a vector, then 0.
__device__ __forceinline__ uint4 first_elements(uint4 vector, int inside)
{
    unsigned word[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        word[i] = inside >= 2 * i + 2 ? word[i] : inside == 2 * i + 1 ? word[i] & FIRST_OF_TWO : 0;
    return make_uint4(word[0], word[1], word[2], word[3]);
}

// L2_PREFETCH: whether L2 fetches 128 bytes where it lacks some of them, for loads along long lines.
#if L2_PREFETCH
#define FETCHING ".L2::128B"
#else
#define FETCHING ""
#endif

// Copy BYTES (4, 8 or 16) to shared memory without waiting; of them those after the first `bytes` become 0.
template <int BYTES> __device__ __forceinline__ void copy_async(void* to, const void* from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (BYTES == VECTOR_BYTES)
        asm volatile("cp.async.cg.shared.global" FETCHING " [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                     "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global" FETCHING " [%0], [%1], %3, %2;" ::"r"(shared_address(to)), "l"(from),
                     "r"(bytes), "n"(BYTES)
                     : "memory");
#endif
}

// Copy a vector to shared memory, without waiting where the chip can.
__device__ __forceinline__ void copy_vector(void* to, const void* from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
#else
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
}

// Close the group of the copies begun since the last one; a group may be empty.
__device__ __forceinline__ void end_of_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Wait until at most the last PENDING groups are under way.
template <int PENDING> __device__ __forceinline__ void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// The copy engine and wgmma see shared memory through a path of their own: what threads wrote passes this fence first.
__device__ __forceinline__ void fence_shared_writes()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
