// Generic GEMM: C = alpha*A*B + beta*C, row-major with leading dimensions.
// Each 32x8 block makes a 32x32 tile of C, 4 rows per thread. Any m, n, k.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define GPU_TRY(expr)                                                        \
    do {                                                                     \
        cudaError_t st = (expr);                                             \
        if (st != cudaSuccess) {                                             \
            fprintf(stderr, "[%s] %s\n", #expr, cudaGetErrorString(st));     \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

template <typename T>
struct GemmParams {
    int m, n, k;
    T alpha;
    const T *A; int lda;
    const T *B; int ldb;
    T beta;
    T *C; int ldc;
};

static const int TS = 32;
static const int BROWS = 8;
static const int RPT = TS / BROWS;

template <typename T>
__global__ void gemm_kernel(GemmParams<T> p)
{
    __shared__ T As[TS][TS];
    __shared__ T Bs[TS][TS];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row0 = blockIdx.y * TS;
    int col = blockIdx.x * TS + tx;

    T acc[RPT];
    for (int r = 0; r < RPT; r++)
        acc[r] = T(0);

    for (int k0 = 0; k0 < p.k; k0 += TS) {
        for (int r = 0; r < RPT; r++) {
            int y = ty + r * BROWS;
            bool okA = row0 + y < p.m && k0 + tx < p.k;
            bool okB = k0 + y < p.k && col < p.n;
            As[y][tx] = okA ? p.A[(size_t)(row0 + y) * p.lda + k0 + tx] : T(0);
            Bs[y][tx] = okB ? p.B[(size_t)(k0 + y) * p.ldb + col] : T(0);
        }
        __syncthreads();

        for (int r = 0; r < RPT; r++) {
            for (int q = 0; q < TS; q++)
                acc[r] += As[ty + r * BROWS][q] * Bs[q][tx];
            acc[r] *= p.alpha;      // scale in registers, saves work at the end
        }
        __syncthreads();
    }

    if (col < p.n) {
        for (int r = 0; r < RPT; r++) {
            int row = row0 + ty + r * BROWS;
            if (row < p.m) {
                T *dst = p.C + (size_t)row * p.ldc + col;
                if (p.beta == T(0))
                    *dst = acc[r];
                else
                    *dst = acc[r] + p.beta * *dst;
            }
        }
    }
}

template <typename T>
void gemm(const GemmParams<T> &p)
{
    if (p.m <= 0 || p.n <= 0) return;
    dim3 block(TS, BROWS);
    dim3 grid((p.n + TS - 1) / TS, (p.m + TS - 1) / TS);
    gemm_kernel<T><<<grid, block>>>(p);
    GPU_TRY(cudaGetLastError());
    GPU_TRY(cudaDeviceSynchronize());
}

template void gemm<float>(const GemmParams<float> &);
template void gemm<double>(const GemmParams<double> &);
