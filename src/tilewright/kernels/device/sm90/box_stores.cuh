// Boxes that the copy engine (TMA) stores, and the tensor maps that it stores and loads (tma.cuh) them by.
//
// Source: PTX ISA, "Data movement and conversion instructions: cp.async.bulk.tensor".
#pragma once

#include "device/memory/vectors.cuh"

// CUDA's own CUtensorMap comes with cuda.h, which NVRTC cannot compile; only its size and alignment matter here.
struct alignas(64) TensorMap {
    char opaque[128];
};

// Where a box begins: its column and row, and its place in the two batch dimensions.
struct BoxAt {
    int column, row, batch_1, batch_2;
};

// Store a box from shared memory; what lies outside the matrix is not written. Stores of a thread form groups.
template <bool BATCHES>
__device__ __forceinline__ void store_box(const TensorMap& map, const void* from, BoxAt at)
{
    if constexpr (BATCHES)
        asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
                     "r"(at.column), "r"(at.row), "r"(at.batch_1), "r"(at.batch_2), "r"(shared_address(from))
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
                     "r"(at.column), "r"(at.row), "r"(shared_address(from))
                     : "memory");
}

__device__ __forceinline__ void end_store_group()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Wait until all but the newest GROUPS groups of this thread's stores have read their shared memory.
template <int GROUPS> __device__ __forceinline__ void wait_for_stores_to_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(GROUPS) : "memory");
}
