#include <cuda_runtime.h>

/* reduced product
 *
 *   C[i][j] = sum_p (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1])
 *
 * A: 2r x k    B: k x 2s    C: r x s     all row major, r, s, k from 1 to 1000000,
 * fewer than 2^31 elements each
 */

#define T 16

typedef struct { const float *p; int rows, cols; } CMat;
typedef struct { float *p; int rows, cols; } Mat;

__global__ void reduced(CMat A, CMat B, Mat C)
{
    __shared__ float sa[T][T];
    __shared__ float sb[T][T];

    int i = blockIdx.y * T + threadIdx.y;
    int j = blockIdx.x * T + threadIdx.x;
    float sum = 0;

    for (int q = 0; q < A.cols; q += T) {
        int pa = q + threadIdx.x;
        int pb = q + threadIdx.y;

        if (i < C.rows && pa < A.cols)
            sa[threadIdx.y][threadIdx.x] = A.p[(2 * i) * A.cols + pa]
                                         + A.p[(2 * i + 1) * A.cols + pa];
        else
            sa[threadIdx.y][threadIdx.x] = 0;

        if (pb < B.rows && j < C.cols)
            sb[threadIdx.y][threadIdx.x] = B.p[pb * B.cols + 2 * j]
                                         + B.p[pb * B.cols + 2 * j + 1];
        else
            sb[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();
        for (int p = 0; p < T; p++)
            sum += sa[threadIdx.y][p] * sb[p][threadIdx.x];
        __syncthreads();
    }

    if (i < C.rows && j < C.cols)
        C.p[i * C.cols + j] = sum;
}

int reduced_product(const float *dA, const float *dB, float *dC, int r, int s, int k)
{
    CMat A = { dA, 2 * r, k };
    CMat B = { dB, k, 2 * s };
    Mat  C = { dC, r, s };

    dim3 block(T, T);
    dim3 grid((C.rows + T - 1) / T, (C.cols + T - 1) / T);

    reduced<<<grid, block>>>(A, B, C);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : -1;
}
