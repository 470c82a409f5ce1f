// PTX of asynchronous kernels as functions, for the hazard kernels of this folder.
#pragma once

typedef unsigned long long Barrier;
struct alignas(64) Map {
    char opaque[128];
};

#define INLINE __device__ __forceinline__

INLINE unsigned at(const void* place) { return static_cast<unsigned>(__cvta_generic_to_shared(place)); }

// mbarriers
INLINE void init(Barrier* barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(barrier)), "r"(count) : "memory");
}
INLINE void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
INLINE void arrive(Barrier* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(barrier)) : "memory");
}
INLINE void expect(Barrier* barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(barrier)), "r"(bytes) : "memory");
}
INLINE void wait(Barrier* barrier, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra finished;\nbra again;\nfinished:\n}" ::"r"(at(barrier)),
                 "r"(parity)
                 : "memory");
}

// Clusters
INLINE unsigned rank()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(number));
    return number;
}
INLINE unsigned in_block(const void* place, unsigned of_rank)
{
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(place)), "r"(of_rank));
    return there;
}
INLINE unsigned load_from_block(const void* place, unsigned of_rank)
{
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(in_block(place, of_rank)) : "memory");
    return value;
}
INLINE void arrive_in_block(Barrier* barrier, unsigned of_rank)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(barrier, of_rank))
                 : "memory");
}
INLINE void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Copies in bulk
INLINE void fence_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
INLINE void load(void* to, const Map* map, Barrier* barrier, int column = 0, int row = 0)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)),
                 "l"(map), "r"(column), "r"(row), "r"(at(barrier))
                 : "memory");
}
INLINE void load_to_blocks(void* to, const Map* map, Barrier* barrier, unsigned short blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %2}], [%3], %4;" ::"r"(at(to)),
                 "l"(map), "r"(0), "r"(at(barrier)), "h"(blocks)
                 : "memory");
}
INLINE void load_line(void* to, const void* from, unsigned bytes, Barrier* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(at(barrier))
                 : "memory");
}
INLINE void store_line(void* to, const void* from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(at(from)), "r"(bytes)
                 : "memory");
}
INLINE void commit_copies() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int LEFT> INLINE void wait_for_copies()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

// wgmma: 64 x 8 sums of float16 tiles with a swizzle of 128 bytes
INLINE unsigned long long descriptor(const void* tile, unsigned long long swizzle = 1, unsigned long long stride = 1024,
                                     unsigned long long leading = 16)
{
    return at(tile) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62;
}
INLINE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
INLINE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> INLINE void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory"); }
template <int A_ALONG_M = 0> INLINE void multiply(float (&d)[4], unsigned long long a, unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, %6, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b), "n"(A_ALONG_M));
}
INLINE void multiply_registers(float (&d)[4], const unsigned (&a)[4], unsigned long long b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Others
template <int NUMBER> INLINE void sync_some(unsigned threads)
{
    asm volatile("bar.sync %0, %1;" ::"n"(NUMBER), "r"(threads) : "memory");
}
INLINE void wait_for_launch_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
INLINE void let_next_launch_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
