#include <iostream>
#include <vector>
#include <random>
#include <cmath>

template <unsigned TILE>
__global__ void matmulTiled(const float* A, const float* B, float* C, size_t n)
{
    __shared__ float subA[TILE][TILE];
    __shared__ float subB[TILE][TILE];

    const size_t row = size_t(blockIdx.y) * TILE + threadIdx.y;
    const size_t col = size_t(blockIdx.x) * TILE + threadIdx.x;

    float value = 0.0f;
    for (size_t tile = 0; tile < n; tile += TILE)
    {
        subA[threadIdx.y][threadIdx.x] =
            (row < n && tile + threadIdx.x < n) ? A[row * n + tile + threadIdx.x] : 0.0f;
        subB[threadIdx.y][threadIdx.x] =
            (tile + threadIdx.y < n && col < n) ? B[(tile + threadIdx.y) * n + col] : 0.0f;

        __syncthreads();

        #pragma unroll
        for (unsigned k = 0; k < TILE; ++k)
        {
            value += subA[threadIdx.y][k] * subB[k][threadIdx.x];
        }
    }

    if (row < n && col < n)
    {
        C[row * n + col] = value;
    }
}

int main()
{
    constexpr unsigned TILE = 16;
    const size_t n = 200;

    std::mt19937 gen(42);
    std::uniform_real_distribution<float> dist(-1.0f, 1.0f);
    std::vector<float> A(n * n), B(n * n), C(n * n);
    for (auto& x : A) x = dist(gen);
    for (auto& x : B) x = dist(gen);

    float *dA = nullptr, *dB = nullptr, *dC = nullptr;
    const size_t bytes = n * n * sizeof(float);
    cudaMalloc(&dA, bytes);
    cudaMalloc(&dB, bytes);
    cudaMalloc(&dC, bytes);
    cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice);

    const unsigned g = unsigned((n + TILE - 1) / TILE);
    matmulTiled<TILE><<<dim3(g, g), dim3(TILE, TILE)>>>(dA, dB, dC, n);
    cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost);

    float maxErr = 0.0f;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
        {
            float s = 0.0f;
            for (size_t k = 0; k < n; ++k) s += A[i * n + k] * B[k * n + j];
            maxErr = std::fmax(maxErr, std::fabs(s - C[i * n + j]));
        }
    std::cout << "max error: " << maxErr << "\n";

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return maxErr < 1e-3f ? 0 : 1;
}
