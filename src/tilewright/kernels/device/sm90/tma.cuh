// The copy engine (TMA): one thread asks for a whole box of a matrix, and the box arrives by itself.
//
// A tensor map, made on the host, describes the matrix: sizes, strides, the box and how a box lies in shared memory.
// The engine computes every address, writes 0 for what lies outside the matrix, and settles the bytes with a barrier.
// That zero is the seeds' boundary check, done by hardware. What it asks for: a base on 16 bytes, and strides that
// are multiples of 16 bytes. Boxes are at most 128 bytes wide here, swizzled (vectors.cuh says how and why).
// Source: PTX ISA, "Data movement and conversion instructions: cp.async.bulk.tensor".
#pragma once

#include "device/sm90/barrier.cuh"

// CUDA's own CUtensorMap comes with cuda.h, which NVRTC cannot compile; only its size and alignment matter here.
struct alignas(64) TensorMap {
    char opaque[128];
};

// Where a box begins: its column and row, and its place in the two batch dimensions.
struct BoxAt {
    int column, row, batch_1, batch_2;
};

__device__ __forceinline__ void fetch_descriptor(const TensorMap& map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// Load a box into this block's shared memory.
template <bool BATCHES>
__device__ __forceinline__ void load_box(void* to, const TensorMap& map, Barrier* barrier, BoxAt at)
{
    if constexpr (BATCHES)
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(to)),
                     "l"(&map), "r"(at.column), "r"(at.row), "r"(at.batch_1), "r"(at.batch_2),
                     "r"(shared_address(barrier))
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                     "l"(&map), "r"(at.column), "r"(at.row), "r"(shared_address(barrier))
                     : "memory");
}

// Load a box once from the L2 cache and write it to the same place in several blocks of the cluster (a bit each).
// Each of those blocks' own barrier counts the bytes.
template <bool BATCHES>
__device__ __forceinline__ void load_box_to(unsigned short blocks, void* to, const TensorMap& map, Barrier* barrier,
                                            BoxAt at)
{
    if constexpr (BATCHES)
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(shared_address(to)),
                     "l"(&map), "r"(at.column), "r"(at.row), "r"(at.batch_1), "r"(at.batch_2),
                     "r"(shared_address(barrier)), "h"(blocks)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                     "l"(&map), "r"(at.column), "r"(at.row), "r"(shared_address(barrier)), "h"(blocks)
                     : "memory");
}

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
