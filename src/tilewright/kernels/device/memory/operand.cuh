// Operands as they lie in memory: the types of their elements, their strides, and when they may be read.
//
// A sum of 16-bit products is kept in float32 and rounded once, to the nearest, ties to even. Strides and offsets are
// 64-bit and count elements; they may be 0 (broadcast) or negative. Batch dimension 1 is the inner one.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Strides {
    long long row, column, batch_1, batch_2;
};

// A product of operands of any strides, as the host passes it: A (m, k) times B (k, n) for each of `batches`. Kernels
// take structs as __grid_constant__: members are read from the bank of constants where they are used, and take no
// registers before.
struct StridedProduct {
    int m, n, k;
    long long batches, batches_1;
    Strides a, b, c;
};

// The matrix of a batch.
template <typename Element>
__device__ __forceinline__ Element* matrix_at(Element* first, const Strides& strides, long long batch_1,
                                              long long batch_2)
{
    return first + batch_1 * strides.batch_1 + batch_2 * strides.batch_2;
}

// An element as sums are kept.
__device__ __forceinline__ double as_sum(double value) { return value; }
__device__ __forceinline__ float as_sum(float value) { return value; }
__device__ __forceinline__ float as_sum(__half value) { return __half2float(value); }
__device__ __forceinline__ float as_sum(__nv_bfloat16 value) { return __bfloat162float(value); }

__device__ __forceinline__ void round_into(double& to, double value) { to = value; }
__device__ __forceinline__ void round_into(float& to, float value) { to = value; }
__device__ __forceinline__ void round_into(__half& to, float value) { to = __float2half_rn(value); }
__device__ __forceinline__ void round_into(__nv_bfloat16& to, float value) { to = __float2bfloat16_rn(value); }

// Two neighbours in one register, the first in the lower half.
__device__ __forceinline__ unsigned packed(__half, float first, float second)
{
    __half2 pair = __floats2half2_rn(first, second);
    return *reinterpret_cast<unsigned*>(&pair);
}

__device__ __forceinline__ unsigned packed(__nv_bfloat16, float first, float second)
{
    __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
    return *reinterpret_cast<unsigned*>(&pair);
}

// Two neighbouring results: of 16 bits as one store, where `is_even` says that they lie within a register's width.
template <typename Result>
__device__ __forceinline__ void put_pair(Result* to, bool is_even, float first, float second)
{
    if constexpr (sizeof(Result) == 2)
        if (is_even) {
            *reinterpret_cast<unsigned*>(to) = packed(Result(), first, second);
            return;
        }
    round_into(to[0], first);
    round_into(to[1], second);
}

// Kernels that follow each other closely (programmatic dependent launch): the next one starts while this one ends.
//
// Without it a launch begins when the kernel before has ended and its results are in memory. With it the next kernel's
// blocks take the places of blocks that have ended, set themselves up, and wait for those results themselves.
// Nothing calls the next kernel earlier (griddepcontrol.launch_dependents): blocks that only wait are in the way
// of those that work. Products of 512 in a row took 3.6 us each with it on an H200, and 2.6 without.
// Source: PTX ISA, "Parallel synchronization and communication instructions: griddepcontrol".

// The kernel before this one in the stream may still be running: wait until it has ended and its results are in memory.
// Every block does, before it reads or writes what others see: then a kernel's end means that all before it have ended.
__device__ __forceinline__ void wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
