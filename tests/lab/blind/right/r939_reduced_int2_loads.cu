#include <cstdio>
#include <cuda_runtime.h>

#define BX 16      // outputs per block, across
#define BY 8       // threads down; two outputs each
#define KT 16

// int reduced product with loads of two neighbouring columns of B at once
// (B comes from cudaMalloc and has 2n columns, so the pairs are aligned)
__global__ void redprod(const int *A, const int2 *B2, int *C, int m, int k, int n)
{
    __shared__ int as[2 * BY][KT];
    __shared__ int bs[KT][BX];
    int x = threadIdx.x, y = threadIdx.y;
    int j = blockIdx.x * BX + x;
    int ibase = blockIdx.y * 2 * BY;
    int c0 = 0, c1 = 0;

    for (int k0 = 0; k0 < k; k0 += KT) {
        for (int r = y; r < 2 * BY; r += BY) {
            int i = ibase + r, kk = k0 + x;
            as[r][x] = (i < m && kk < k) ? A[2 * i * k + kk] + A[(2 * i + 1) * k + kk] : 0;
        }
        for (int r = y; r < KT; r += BY) {
            int2 pair = make_int2(0, 0);
            if (k0 + r < k && j < n) pair = B2[(k0 + r) * n + j];
            bs[r][x] = pair.x + pair.y;
        }
        __syncthreads();
        for (int q = 0; q < KT; q++) {
            c0 += as[y][q] * bs[q][x];
            c1 += as[y + BY][q] * bs[q][x];
        }
        __syncthreads();
    }
    if (j < n) {
        int i = ibase + y;
        if (i < m) C[i * n + j] = c0;
        if (i + BY < m) C[(i + BY) * n + j] = c1;
    }
}

int main()
{
    const int m = 21, k = 37, n = 19;
    static int A[2 * m * k], B[k * 2 * n], C[m * n];
    for (int i = 0; i < 2 * m * k; i++) A[i] = (i * 7) % 10 - 4;
    for (int i = 0; i < k * 2 * n; i++) B[i] = (i * 3) % 8 - 3;
    int *dA, *dC; int2 *dB;
    cudaMalloc(&dA, sizeof A); cudaMalloc(&dB, sizeof B); cudaMalloc(&dC, sizeof C);
    cudaMemcpy(dA, A, sizeof A, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof B, cudaMemcpyHostToDevice);
    dim3 th(BX, BY), bl((n + BX - 1) / BX, (m + 2 * BY - 1) / (2 * BY));
    redprod<<<bl, th>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C, dC, sizeof C, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
        int s = 0;
        for (int q = 0; q < k; q++)
            s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) * (B[q * 2 * n + 2 * j] + B[q * 2 * n + 2 * j + 1]);
        if (s != C[i * n + j]) wrong++;
    }
    printf(wrong ? "FAILED\n" : "passed\n");
    return wrong;
}
