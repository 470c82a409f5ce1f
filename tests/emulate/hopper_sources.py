"""Device functions that tests of Hopper's instructions share: CUDA C++ around PTX."""

from __future__ import annotations

DEVICE = r"""
typedef unsigned long long Barrier;
__device__ unsigned at(const void* place) { return (unsigned)__cvta_generic_to_shared(place); }
__device__ void init(Barrier* barrier, unsigned count)
{ asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(barrier)), "r"(count) : "memory"); }
__device__ void arrive(Barrier* barrier)
{ asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(barrier)) : "memory"); }
__device__ void expect(Barrier* barrier, unsigned bytes)
{ asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory"); }
__device__ void complete(Barrier* barrier, unsigned bytes)
{ asm volatile("mbarrier.complete_tx.shared::cta.b64 [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory"); }
__device__ void wait(Barrier* barrier, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra finished;\nbra again;\nfinished:\n}" ::"r"(at(barrier)), "r"(parity) : "memory");
}
__device__ unsigned map(unsigned address, unsigned rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}
__device__ void arrive_at(Barrier* barrier, unsigned rank)
{
    unsigned there = map(at(barrier), rank);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}
__device__ void cluster_sync()
{ asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }
struct alignas(64) Map { char opaque[128]; };
__device__ void load_box(void* to, const Map* map, Barrier* barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(barrier)) : "memory");
}
__device__ void store_box(const Map* map, const void* from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 ::"l"(map), "r"(x), "r"(y), "r"(at(from)) : "memory");
}
__device__ void end_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ void wait_for_groups() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ unsigned cluster_rank()
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
"""
