#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// y = A x, A (m rida, n veergu) on salvestatud veergude kaupa.
// Plokk 32 x 8: x-suund on read, y-suund jagab veerud kaheksa lõime vahel.

constexpr int RIDU = 32, VIILE = 8;

__global__ void korruta(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float osa[VIILE][RIDU + 1];
    const int r = blockIdx.x * RIDU + threadIdx.x;

    float s = 0.f;
    if (r < m)
        for (int c = threadIdx.y; c < n; c += blockDim.x)
            s += A[r + (size_t)c * m] * x[c];
    osa[threadIdx.y][threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.y == 0 && r < m) {
        for (int v = 1; v < VIILE; ++v)
            s += osa[v][threadIdx.x];
        y[r] = s;
    }
}

int main()
{
    const int m = 1000, n = 777;
    std::vector<float> A((size_t)m * n), x(n), y(m);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float((i * 2654435761u) % 1000) / 1000.f;
    for (int i = 0; i < n; ++i) x[i] = 1.f / (1 + i % 10);

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);

    korruta<<<(m + RIDU - 1) / RIDU, dim3(RIDU, VIILE)>>>(dA, dx, dy, m, n);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int vigu = 0;
    for (int r = 0; r < m; ++r) {
        double t = 0;
        for (int c = 0; c < n; ++c) t += (double)A[r + (size_t)c * m] * x[c];
        if (std::fabs(t - y[r]) > 1e-3 * std::fabs(t)) ++vigu;
    }
    std::printf("valesid ridu: %d\n", vigu);
    return vigu ? 1 : 0;
}
