// Clusters: blocks that run at the same time on neighbouring multiprocessors and reach each other's shared memory.
// Source: PTX ISA, "Parallel synchronization and communication instructions: barrier.cluster" and "mapa".
#pragma once

#include "include/barrier.cuh"

// Arrive at the same barrier of another block of the cluster. It says that reading has ended and publishes no writes:
// with release at cluster scope the compiler adds a fence over all of the GPU's memory, a microsecond each time.
__device__ __forceinline__ void barrier_arrive_at(Barrier* barrier, unsigned block)
{
    asm volatile("{\n"
                 ".reg .b32 remote;\n"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(block)
                 : "memory");
}

// All threads of all blocks of the cluster. Relaxed, for the same reason: nothing that they wrote needs publishing.
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ unsigned rank_in_cluster()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
