// C = A*B, side a multiple of 16. Two pairs of tiles: the next pair is filled
// while the current pair is used, one barrier per step.
#include <cstdio>
#include <cmath>
#include <memory>
#include <cuda_runtime.h>

constexpr int T = 16;

__global__ void mmDouble(const double *A, const double *B, double *C, int n)
{
    __shared__ double sA[2][T][T];
    __shared__ double sB[2][T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    const int steps = n / T;

    auto load = [&](int buf, int step) {
        sA[buf][ty][tx] = A[(size_t)row * n + step * T + tx];
        sB[buf][ty][tx] = B[(size_t)(step * T + ty) * n + col];
    };

    double sum = 0.0;
    load(0, 0);
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        const int cur = s & 1;
        if (s + 1 < steps)
            load(cur ^ 1, s + 1);
        for (int p = 0; p < T; ++p)
            sum += sA[cur][ty][p] * sB[cur][p][tx];
        __syncthreads();
    }
    C[(size_t)row * n + col] = sum;
}

int main()
{
    const int n = 16 * 13;
    const size_t count = (size_t)n * n;
    std::unique_ptr<double[]> A(new double[count]), B(new double[count]), C(new double[count]);
    for (size_t i = 0; i < count; ++i) {
        A[i] = std::cos((double)i);
        B[i] = std::sin((double)i * 0.5);
    }
    double *dA, *dB, *dC;
    cudaMalloc(&dA, count * sizeof(double));
    cudaMalloc(&dB, count * sizeof(double));
    cudaMalloc(&dC, count * sizeof(double));
    cudaMemcpy(dA, A.get(), count * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.get(), count * sizeof(double), cudaMemcpyHostToDevice);

    mmDouble<<<dim3(n / T, n / T), dim3(T, T)>>>(dA, dB, dC, n);
    cudaMemcpy(C.get(), dC, count * sizeof(double), cudaMemcpyDeviceToHost);

    double maxDiff = 0.0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double r = 0.0;
            for (int p = 0; p < n; ++p) r += A[(size_t)i * n + p] * B[(size_t)p * n + j];
            maxDiff = std::fmax(maxDiff, std::fabs(r - C[(size_t)i * n + j]));
        }
    printf("max diff = %e\n", maxDiff);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return maxDiff < 1e-9 ? 0 : 1;
}
