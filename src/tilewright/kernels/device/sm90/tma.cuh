// The copy engine (TMA): one thread asks for a whole box of a matrix, and the box arrives by itself.
//
// A tensor map, made on the host, describes the matrix: sizes, strides, the box and how a box lies in shared memory.
// The engine computes every address, writes 0 for what lies outside the matrix, and settles the bytes with a barrier.
// That zero is the seeds' boundary check, done by hardware. What it asks for: a base on 16 bytes, and strides that
// are multiples of 16 bytes. Boxes are at most 128 bytes wide here, swizzled (vectors.cuh says how and why).
// Source: PTX ISA, "Data movement and conversion instructions: cp.async.bulk.tensor".
#pragma once

#include "device/sm90/barrier.cuh"
#include "device/sm90/box_stores.cuh"

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
