// The tensor cores of Hopper (wgmma) with A in registers: 128 threads multiply 64 rows of A by a tile of B.
//
// A lane holds of A what it would for mma.sync, and gets sums in the same places: a warp has 16 rows. B is read from
// shared memory, as its descriptor says (wgmma_operands.cuh).
// Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
#pragma once

#include "device/mma/wgmma_operands.cuh"

// Four registers of A, the descriptor of B and "keep" follow the sums, of which there are BLOCK_N / 2.
#define ROWS_32(form) form("{%16, %17, %18, %19}", "%20", "%21")
#define ROWS_64(form) form("{%32, %33, %34, %35}", "%36", "%37")
#define ROWS_128(form) form("{%64, %65, %66, %67}", "%68", "%69")
#define WGMMA_ROWS_FORM(a, b, keep)                                                                                    \
    "{\n.reg .pred keep;\nsetp.ne.b32 keep, " keep ", 0;\n"                                                            \
    "wgmma.mma_async.sync.aligned.m64n" VALUE_AS_TEXT(BLOCK_N) "k16.f32." WGMMA_TYPES " {" JOIN(TEXT_, BLOCK_N) "}, "  \
    a ", " b ", keep, 1, 1, " WGMMA_B_TRANSPOSED ";\n}"

// sums = A B, or sums += A B when `keep` is not 0. They are readable only after wgmma_rows_end.
__device__ __forceinline__ void wgmma_rows(float (&sums)[BLOCK_N / 2], const unsigned (&a)[4], unsigned long long b,
                                           int keep)
{
    asm volatile(JOIN(ROWS_, BLOCK_N)(WGMMA_ROWS_FORM)
                 : JOIN(SUMS_, BLOCK_N)(sums)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep));
}

// A's registers and the sums' are as the tensor cores will find them. The first statement emits nothing: it keeps the
// compiler from filling registers of A later.
template <int STEPS> __device__ __forceinline__ void wgmma_rows_begin(unsigned (&a)[STEPS][4])
{
#pragma unroll
    for (int step = 0; step < STEPS; ++step)
        asm volatile("" : "+r"(a[step][0]), "+r"(a[step][1]), "+r"(a[step][2]), "+r"(a[step][3])::"memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Wait for the sums.
__device__ __forceinline__ void wgmma_rows_end(float (&sums)[BLOCK_N / 2])
{
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    asm volatile("" : JOIN(SUMS_, BLOCK_N)(sums)::"memory");
}
