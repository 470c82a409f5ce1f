// The tensor cores of Hopper (wgmma) with A in registers: 128 threads multiply 64 rows of A by a tile of B.
//
// A lane holds of A what it would for mma.sync, and gets sums in the same places: a warp has 16 rows. B is read from
// shared memory, as its descriptor says (wgmma_operands.cuh). The registers of A must stay as they are until the
// instruction has ended.
// Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
#pragma once

#include "device/mma/wgmma.cuh"

#if JOIN(IS_FLOAT_, ELEMENT)
#define WGMMA_ROWS_TRANSPOSED ""
#else
#define WGMMA_ROWS_TRANSPOSED ", " WGMMA_B_TRANSPOSED
#endif
#define WGMMA_ROWS_FORM(a_0, a_1, a_2, a_3, b, keep)                                                                  \
    "{\n.reg .pred keep;\nsetp.ne.b32 keep, " keep ", 0;\n"                                                            \
    "wgmma.mma_async.sync.aligned.m64n" VALUE_AS_TEXT(BLOCK_N) WGMMA_K ".f32." WGMMA_TYPES                            \
    " {" JOIN(TEXT_, BLOCK_N) "}, {" a_0 ", " a_1 ", " a_2 ", " a_3 "}, " b ", keep, 1, 1" WGMMA_ROWS_TRANSPOSED ";\n}"

// sums = A B, or sums += A B when `keep` is not 0. They are readable only after wgmma_rows_end, or wgmma_wait.
__device__ __forceinline__ void wgmma_rows(float (&sums)[BLOCK_N / 2], const unsigned (&a)[4], unsigned long long b,
                                           int keep)
{
    asm volatile(JOIN(INPUTS_, BLOCK_N)(WGMMA_ROWS_FORM)
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
    wgmma_fence();
}

// Wait for the sums.
__device__ __forceinline__ void wgmma_rows_end(float (&sums)[BLOCK_N / 2])
{
    wgmma_end_group();
    wgmma_wait<0>();
    wgmma_finished(sums);
}
