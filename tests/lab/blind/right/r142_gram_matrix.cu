// Gram matrix G = A * A^T with A of size n x d (row major).
// G is symmetric, so only the blocks on and below the diagonal are computed and
// the others are filled with the mirrored values.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

constexpr int B = 16;

__global__ void gram(const float* A, float* G, int n, int d)
{
    if (blockIdx.x > blockIdx.y)   // the whole block leaves
        return;

    __shared__ float rows[B][B + 1];
    __shared__ float cols[B][B + 1];

    const int i = blockIdx.y * B + threadIdx.y;
    const int j = blockIdx.x * B + threadIdx.x;
    const int jLoad = blockIdx.x * B + threadIdx.y;

    float dot = 0.0f;
    for (int k0 = 0; k0 < d; k0 += B) {
        const int k = k0 + threadIdx.x;
        rows[threadIdx.y][threadIdx.x] = (i < n && k < d) ? A[i * d + k] : 0.0f;
        cols[threadIdx.y][threadIdx.x] = (jLoad < n && k < d) ? A[jLoad * d + k] : 0.0f;
        __syncthreads();
        for (int q = 0; q < B; ++q)
            dot += rows[threadIdx.y][q] * cols[threadIdx.x][q];
        __syncthreads();
    }

    if (i < n && j < n) {
        G[i * n + j] = dot;
        if (blockIdx.x != blockIdx.y)
            G[j * n + i] = dot;
    }
}

int main()
{
    const int n = 105, d = 39;
    std::mt19937 gen(42);
    std::uniform_real_distribution<float> dist(-1.0f, 1.0f);
    std::vector<float> A(n * d), G(n * n);
    std::generate(A.begin(), A.end(), [&] { return dist(gen); });

    float *dA, *dG;
    cudaMalloc(&dA, sizeof(float) * n * d);
    cudaMalloc(&dG, sizeof(float) * n * n);
    cudaMemcpy(dA, A.data(), sizeof(float) * n * d, cudaMemcpyHostToDevice);

    const int blocks = (n + B - 1) / B;
    gram<<<dim3(blocks, blocks), dim3(B, B)>>>(dA, dG, n, d);
    cudaMemcpy(G.data(), dG, sizeof(float) * n * n, cudaMemcpyDeviceToHost);

    float err = 0.0f;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float ref = 0.0f;
            for (int k = 0; k < d; ++k) ref += A[i * d + k] * A[j * d + k];
            err = std::max(err, std::fabs(ref - G[i * n + j]));
        }
    std::printf("max error %g\n", err);
    cudaFree(dA);
    cudaFree(dG);
    return err < 1e-4f ? 0 : 1;
}
