#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// every z-slice adds the products of its chunk of the inner dimension
__global__ void chunkProduct(float *C, const float *A, const float *B,
                             int M, int N, int K, int chunk)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int from = blockIdx.z * chunk;
    const int to = min(from + chunk, K);

    if (i < M && j < N && from < K) {
        float s = 0.0f;
        for (int k = from; k < to; ++k)
            s += __ldg(A + i * K + k) * __ldg(B + k * N + j);
        atomicAdd(C + i * N + j, s);
    }
}

int main()
{
    const int M = 40, N = 50, K = 101, SPLITS = 8;
    std::vector<float> a(M * K, 1.0f), b(K * N, 1.0f), c(M * N);
    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, c.size() * sizeof(float));

    const int chunk = K / SPLITS;
    dim3 block(16, 16);
    dim3 grid((N + 15) / 16, (M + 15) / 16, SPLITS);
    chunkProduct<<<grid, block>>>(dC, dA, dB, M, N, K, chunk);

    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", c[0]);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
