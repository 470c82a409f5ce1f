// Barriers in shared memory (mbarrier): how the copy engine and the warps of a block wait for each other.
//
// A barrier counts arrivals and, apart from them, bytes that are still on their way. When both are settled its phase
// ends and the next one begins; the parity of the phase (0, 1, 0, ...) is all that a waiting thread needs to keep.
// __syncthreads cannot do this work: it knows neither bytes in flight nor a waiter that does not itself arrive.
// Source: PTX ISA, "Parallel synchronization and communication instructions: mbarrier", and
// "cp.async.mbarrier.arrive".
#pragma once

#include "device/memory/vectors.cuh"

using Barrier = unsigned long long;

__device__ __forceinline__ void barrier_init(Barrier* barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Other blocks of the cluster and the copy engine see the initialised barriers only after this fence.
__device__ __forceinline__ void barrier_init_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrive, and announce bytes that the copy engine will bring; the phase ends when they are there.
__device__ __forceinline__ void barrier_arrive_expecting(Barrier* barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void barrier_arrive(Barrier* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// Arrive at a barrier as soon as this thread's copies have come. Its count includes the arrival.
__device__ __forceinline__ void barrier_arrive_after_copies(Barrier* barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// Wait until the phase with this parity has ended. A phase before the first counts as ended with parity 1.
__device__ __forceinline__ void barrier_wait(Barrier* barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra finished;\n"
                 "bra again;\n"
                 "finished:\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

// A barrier for some warps of the block only (hardware barriers 1 to 15; 0 is __syncthreads).
__device__ __forceinline__ void warps_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Arrive at it without waiting: for a warp that the others wait for.
__device__ __forceinline__ void warps_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Clusters: blocks that run at the same time on neighbouring multiprocessors and reach each other's shared memory.
// Source: PTX ISA, "Parallel synchronization and communication instructions: barrier.cluster" and "mapa".

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
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }

__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

__device__ __forceinline__ void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}

__device__ __forceinline__ unsigned rank_in_cluster()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
