// FP16 storage, FP32 accumulation, no tensor cores.  C is written back as FP16.
#include <cuda_fp16.h>
#include <cstdio>
#include <cmath>
#include <vector>

#define TILE 32

__global__ void hgemm(const __half *A, const __half *B, __half *C, int M, int N, int K)
{
    __shared__ __half Asub[TILE][TILE];
    __shared__ __half Bsub[TILE][TILE];

    const int ty = threadIdx.y, tx = threadIdx.x;
    const int Row = blockIdx.y * blockDim.y + ty;
    const int Col = blockIdx.x * blockDim.x + tx;
    const __half zero = __float2half(0.0f);

    float Pvalue = 0.0f;
    for (int ph = 0; ph < (K + TILE - 1) / TILE; ++ph)
    {
        if (Row < M && ph * TILE + tx < K)
            Asub[ty][tx] = A[Row * K + ph * TILE + tx];
        else
            Asub[ty][tx] = zero;

        if (ph * TILE + ty < K && Col < N)
            Bsub[ty][tx] = B[(ph * TILE + ty) * N + Col];
        else
            Bsub[ty][tx] = zero;

        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            Pvalue += __half2float(Asub[ty][k]) * __half2float(Bsub[k][tx]);
        __syncthreads();
    }
    if (Row < M && Col < N)
        C[Row * N + Col] = __float2half(Pvalue);
}

int main()
{
    const int M = 40, N = 65, K = 50;
    std::vector<__half> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = __float2half(float(i % 5) - 2.0f);
    for (int i = 0; i < K * N; ++i) b[i] = __float2half(float(i % 3));

    __half *dA, *dB, *dC;
    cudaMalloc((void **)&dA, a.size() * sizeof(__half));
    cudaMalloc((void **)&dB, b.size() * sizeof(__half));
    cudaMalloc((void **)&dC, c.size() * sizeof(__half));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    hgemm<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(__half), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
        {
            float s = 0.0f;
            for (int k = 0; k < K; ++k) s += __half2float(a[i * K + k]) * __half2float(b[k * N + j]);
            if (fabsf(s - __half2float(c[i * N + j])) > 0.5f) ++bad;
        }
    printf("%s\n", bad ? "BAD" : "GOOD");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad ? 1 : 0;
}
