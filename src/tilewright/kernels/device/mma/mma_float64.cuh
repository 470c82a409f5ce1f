// The warp's instruction that multiplies float64: mma.sync, which rounds as a chain of fused multiply-adds does.
//
// Source: PTX ISA, section on the fragments of mma.m16n8k8 for .f64.
#pragma once

// sums += A (16 x 8) B (8 x 8). Compute capability 8 has it for 8 rows and 4 of the inner index.
__device__ __forceinline__ void multiply_add(double (&sums)[4], const double (&a)[2][2], const double (&b)[2])
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
                 : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#else
#pragma unroll
    for (int part = 0; part < 4; ++part)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(sums[part % 2 * 2]), "+d"(sums[part % 2 * 2 + 1])
                     : "d"(a[part / 2][part % 2]), "d"(b[part / 2]));
#endif
}
