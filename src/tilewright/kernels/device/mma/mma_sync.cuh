// The warp's instructions that multiply tiles in shared memory: ldmatrix and mma.sync.
//
// Macros: ELEMENT. Sources: PTX ISA, sections on ldmatrix and the fragments of mma.m16n8k16.
#pragma once

#include "device/memory/vectors.cuh"

// Load four 8 x 8 matrices: lane l gives the address of row l % 8 of matrix l / 8, and gets two neighbours of row l / 4
// of each; transposed, two neighbours of column l / 4.
template <int TRANSPOSED> __device__ __forceinline__ void load_matrices(unsigned (&to)[4], const ELEMENT* row)
{
    unsigned address = shared_address(row);
    if constexpr (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
}

// The 16 x 16 elements of A from (row, inner): matrices in the order (0, 0), (8, 0), (0, 8), (8, 8).
template <int INNER_FIRST, int PITCH>
__device__ __forceinline__ void load_fragment_a(unsigned (&to)[4], const ELEMENT* tile, int row, int inner)
{
    int lane = threadIdx.x % 32, in_row = lane % 8, matrix = lane / 8;
    if constexpr (INNER_FIRST)
        load_matrices<0>(to, tile + (row + matrix % 2 * 8 + in_row) * PITCH + inner + matrix / 2 * 8);
    else
        load_matrices<1>(to, tile + (inner + matrix / 2 * 8 + in_row) * PITCH + row + matrix % 2 * 8);
}

// The 16 x 16 elements of B from (inner, column), as two fragments of 8 columns: (0, 0), (8, 0), (0, 8), (8, 8).
template <int INNER_FIRST, int PITCH>
__device__ __forceinline__ void load_fragment_b(unsigned (&to)[4], const ELEMENT* tile, int column, int inner)
{
    int lane = threadIdx.x % 32, in_row = lane % 8, matrix = lane / 8;
    if constexpr (INNER_FIRST)
        load_matrices<0>(to, tile + (column + matrix / 2 * 8 + in_row) * PITCH + inner + matrix % 2 * 8);
    else
        load_matrices<1>(to, tile + (inner + matrix % 2 * 8 + in_row) * PITCH + column + matrix / 2 * 8);
}

// sums += A (16 x 16) B (16 x 8). Compute capability 7.5 has it for 8 of the inner index, and for float16.
#define MULTIPLY_ADD_16(TYPE)                                                                                    \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE ".f32 {%0, %1, %2, %3}, "                \
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                                 \
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                    \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define MULTIPLY_ADD_8(FIRST_A, FIRST_B)                                                                         \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "           \
                 "{%0, %1, %2, %3};"                                                                             \
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                    \
                 : "r"(a[FIRST_A]), "r"(a[FIRST_A + 1]), "r"(b[FIRST_B]))

template <typename T> constexpr bool IS_BFLOAT16 = false;
template <> constexpr bool IS_BFLOAT16<__nv_bfloat16> = true;

__device__ __forceinline__ void multiply_add(float (&sums)[4], const unsigned (&a)[4], const unsigned* b)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (IS_BFLOAT16<ELEMENT>)
        MULTIPLY_ADD_16("bf16");
    else
        MULTIPLY_ADD_16("f16");
#else
    static_assert(!IS_BFLOAT16<ELEMENT>, "mma.sync takes bfloat16 from compute capability 8.0 on");
    MULTIPLY_ADD_8(0, 0);
    MULTIPLY_ADD_8(2, 1);
#endif
}
