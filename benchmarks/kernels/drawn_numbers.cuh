// What every kernel of benchmarks/measure/caches/cache_launches/drawn.py begins with. Macros: HALF, DOUBLE (neither: float);
// A_TRANSPOSED, B_TRANSPOSED: the operand is stored the other way round.
#if defined(HALF)
typedef unsigned short Number;
typedef float Sum;
__device__ __forceinline__ Sum value(Number bits) {
    float number;
    asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
    return number;
}
__device__ __forceinline__ Number stored(Sum number) {
    Number bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
    return bits;
}
#else
#if defined(DOUBLE)
typedef double Number;
#else
typedef float Number;
#endif
typedef Number Sum;
__device__ __forceinline__ Sum value(Number number) { return number; }
__device__ __forceinline__ Number stored(Sum number) { return number; }
#endif

#if defined(A_TRANSPOSED)
#define A_AT(row, step) A[(step) * lda + (row)]
#else
#define A_AT(row, step) A[(row) * lda + (step)]
#endif
#if defined(B_TRANSPOSED)
#define B_AT(step, column) B[(column) * ldb + (step)]
#else
#define B_AT(step, column) B[(step) * ldb + (column)]
#endif
#define OPERANDS const Number *A, const Number *B, Number *C, int m, int n, int k, int lda, int ldb, int ldc
