// 24 x 24 tiles (576 threads). Everything through macros, old school.
// grid must be dim3(CEIL_DIV(n,24), CEIL_DIV(m,24)), block dim3(24,24)
#define TDIM 24
#define CEIL_DIV(x, y) (((x) + (y) - 1) / (y))
#define IDX(r, c, ld) ((r) * (ld) + (c))
#define GUARD(r, c, nr, nc, arr) (((r) < (nr) && (c) < (nc)) ? (arr)[IDX(r, c, nc)] : (real)0)
#define SYNC __syncthreads()

#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif

__global__ void matrix_product(real *c, const real *a, const real *b, int m, int k, int n)
{
    __shared__ real ta[TDIM][TDIM + 1], tb[TDIM][TDIM + 1];

    /* x -> row, y -> column in this one (slow loads, but correct) */
    int lr = threadIdx.x, lc = threadIdx.y;
    int gr = blockIdx.y * TDIM + lr;
    int gc = blockIdx.x * TDIM + lc;
    real s = 0;

    for (int t = 0; t < CEIL_DIV(k, TDIM); t++) {
        ta[lr][lc] = GUARD(gr, t * TDIM + lc, m, k, a);
        tb[lr][lc] = GUARD(t * TDIM + lr, gc, k, n, b);
        SYNC;
        for (int q = 0; q < TDIM; q++)
            s += ta[lr][q] * tb[q][lc];
        SYNC;
    }

    if (gr < m && gc < n)
        c[IDX(gr, gc, n)] = s;
}
