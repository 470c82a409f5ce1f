// The rows of C = A*B are computed in chunks, each chunk in its own stream,
// so that copies and kernels overlap. M, N, K free, row-major.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>

constexpr int CHUNKS = 4;

__global__ void matmulRows(const float* A, const float* B, float* C, int rows, int N, int K)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= N) return;
    float s = 0.0f;
    for (int p = 0; p < K; ++p) s += A[(size_t)i * K + p] * B[(size_t)p * N + j];
    C[(size_t)i * N + j] = s;
}

int main()
{
    const int M = 2050, N = 1500, K = 700;
    const size_t na = (size_t)M * K, nb = (size_t)K * N, nc = (size_t)M * N;

    float *A, *B, *C, *dA, *dB, *dC;
    cudaMallocHost(&A, na * sizeof(float));
    cudaMallocHost(&B, nb * sizeof(float));
    cudaMallocHost(&C, nc * sizeof(float));
    cudaMalloc(&dA, na * sizeof(float));
    cudaMalloc(&dB, nb * sizeof(float));
    cudaMalloc(&dC, nc * sizeof(float));
    for (size_t i = 0; i < na; ++i) A[i] = float(i % 5);
    for (size_t i = 0; i < nb; ++i) B[i] = float(i % 7) - 3.0f;
    std::fill(C, C + nc, 0.0f);

    cudaMemcpy(dB, B, nb * sizeof(float), cudaMemcpyHostToDevice);

    cudaStream_t st[CHUNKS];
    const int per = (M + CHUNKS - 1) / CHUNKS;
    for (int q = 0; q < CHUNKS; ++q) {
        cudaStreamCreate(&st[q]);
        const int first = q * per;
        const int rows = std::min(per, M - first);
        float* a = dA + (size_t)first * K;
        float* c = dC + (size_t)first * N;
        cudaMemcpyAsync(a, A + (size_t)first * K, (size_t)rows * K * sizeof(float),
                        cudaMemcpyHostToDevice, st[q]);
        dim3 block(32, 8);
        dim3 grid((N + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
        matmulRows<<<grid, block, 0, st[q]>>>(a, dB, c, rows, N, K);
        cudaMemcpyAsync(C + (size_t)first * N, c, (size_t)rows * N * sizeof(float),
                        cudaMemcpyDeviceToHost, st[q]);
    }

    int bad = 0;
    for (int i = M - 1; i >= 0; i -= 97)
        for (int j = 0; j < N; j += 53) {
            float s = 0.0f;
            for (int p = 0; p < K; ++p) s += A[(size_t)i * K + p] * B[(size_t)p * N + j];
            if (std::fabs(s - C[(size_t)i * N + j]) > 1e-2f) ++bad;
        }
    std::printf("bad samples: %d\n", bad);

    for (int q = 0; q < CHUNKS; ++q) cudaStreamDestroy(st[q]);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    cudaFreeHost(A); cudaFreeHost(B); cudaFreeHost(C);
    return bad != 0;
}
