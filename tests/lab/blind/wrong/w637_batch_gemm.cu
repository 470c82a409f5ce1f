// C[b] = alpha * A[b] * B[b] + beta * C[b], row-major, one z slice per matrix
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TS 8

typedef struct {
    int m, n, k;
    long strideA, strideB, strideC;   /* elements from one matrix to the next */
} gemm_desc;

__global__ void batch_gemm(gemm_desc d, float alpha, const float *A, const float *B,
                           float beta, float *C)
{
    __shared__ float as[TS][TS], bs[TS][TS];
    A += blockIdx.z * d.strideA;
    B += blockIdx.z * d.strideB;
    C += blockIdx.z * d.strideC;
    int r = blockIdx.y * TS + threadIdx.y;
    int c = blockIdx.x * TS + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < d.k; k0 += TS) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = r < d.m && ka < d.k ? A[r * d.k + ka] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = kb < d.k && c < d.n ? B[kb * d.n + c] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TS; i++)
            acc += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (r < d.m && c < d.n)
        C[r * d.n + c] = alpha * acc + beta * C[r * d.n + c];
}

int main(void)
{
    const int batch = 24;
    gemm_desc d;
    d.m = 30; d.n = 44; d.k = 19;
    d.strideA = (long)d.m * d.k;
    d.strideB = (long)d.k * d.n;
    d.strideC = (long)d.m * d.n;

    size_t na = batch * d.strideA, nb = batch * d.strideB, nc = batch * d.strideC;
    float *A = (float *)malloc(na * sizeof(float));
    float *B = (float *)malloc(nb * sizeof(float));
    float *C = (float *)malloc(nc * sizeof(float));
    float *R = (float *)malloc(nc * sizeof(float));
    for (size_t i = 0; i < na; i++) A[i] = (float)(i % 5);
    for (size_t i = 0; i < nb; i++) B[i] = (float)(i % 4) - 1.0f;
    for (size_t i = 0; i < nc; i++) C[i] = 1.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, na * sizeof(float));
    cudaMalloc(&dB, nb * sizeof(float));
    cudaMalloc(&dC, nc * sizeof(float));
    cudaMemcpy(dA, A, na * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, nb * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, nc * sizeof(C), cudaMemcpyHostToDevice);

    dim3 grid((d.n + TS - 1) / TS, (d.m + TS - 1) / TS, batch);
    batch_gemm<<<grid, dim3(TS, TS)>>>(d, 2.0f, dA, dB, 3.0f, dC);
    cudaMemcpy(R, dC, nc * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < d.m; i++)
            for (int j = 0; j < d.n; j++) {
                float s = 0.0f;
                for (int p = 0; p < d.k; p++)
                    s += A[b * d.strideA + i * d.k + p] * B[b * d.strideB + p * d.n + j];
                size_t e = b * d.strideC + i * d.n + j;
                if (2.0f * s + 3.0f * C[e] != R[e]) bad++;
            }
    printf("bad: %d\n", bad);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return bad != 0;
}
