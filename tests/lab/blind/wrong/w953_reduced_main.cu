#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#define Q 16

// A: 2m x k   B: k x 2n   C: m x n, each entry sums a 2 x 2 square of A*B
__global__ void red(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float pa[Q][Q + 1], pb[Q][Q + 1];
    int r = blockIdx.y * Q + threadIdx.y, c = blockIdx.x * Q + threadIdx.x;
    float z = 0.f;
    for (int s = 0; s < k; s += Q) {
        float f = 0.f, g = 0.f;
        int da = s + threadIdx.x, db = s + threadIdx.y;
        if (r < m && da < k) f = A[2 * r * k + da] + A[2 * r * k + k + da];
        if (c < n && db < k) g = B[2 * (db * n + c)] + B[2 * (db * n + c) + 1];
        pa[threadIdx.y][threadIdx.x] = f;
        pb[threadIdx.y][threadIdx.x] = g;
        __syncthreads();
        for (int q = 0; q < Q; q++) z += pa[threadIdx.y][q] * pb[q][threadIdx.x];
        __syncthreads();
    }
    if (r < m && c < n) C[r * n + c] = z;
}

int main(void)
{
    int m = 50, n = 70, k = 33;
    size_t bytesA = 2 * m * k * sizeof(float);
    size_t bytesB = 2 * n * k * sizeof(float);
    size_t bytesC = m * n * sizeof(float);
    float *A = (float *)malloc(bytesA), *B = (float *)malloc(bytesB), *C = (float *)malloc(bytesC);
    for (int i = 0; i < 2 * m * k; i++) A[i] = (float)(i % 6) - 2;
    for (int i = 0; i < 2 * n * k; i++) B[i] = (float)(i % 7) - 3;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, bytesA);
    cudaMalloc((void **)&dB, bytesB);
    cudaMalloc((void **)&dC, bytesC);
    cudaMemcpy(dA, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bytesC, cudaMemcpyHostToDevice);

    dim3 th(Q, Q), bl((n + Q - 1) / Q, (m + Q - 1) / Q);
    red<<<bl, th>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C, dC, bytesC, cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int q = 0; q < k; q++)
                s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) * (B[q * 2 * n + 2 * j] + B[q * 2 * n + 2 * j + 1]);
            if (!(fabsf(s - C[i * n + j]) < 1e-3f)) bad++;
        }
    printf(bad ? "FAILED (%d)\n" : "passed (%d)\n", bad);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return bad > 0;
}
