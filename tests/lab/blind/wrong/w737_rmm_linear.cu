// Reduced matrix multiplication, first version (one thread per result element,
// one-dimensional grid).  m and n even, any k.
//
// R[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1],  P = A * B
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

__device__ double dotRowCol(const double *A, const double *B, int row, int col,
                            int n, int k)
{
    double s = 0;
    for (int p = 0; p < k; ++p)
        s += A[row * k + p] * B[p * n + col];
    return s;
}

__global__ void rmmLinear(const double *A, const double *B, double *R,
                          int m, int n, int k)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= m * n / 2)
        return;

    int i = idx / (n / 2);
    int j = idx % (n / 2);

    double sum = 0;
    for (int di = 0; di < 2; ++di)
        for (int dj = 0; dj < 2; ++dj)
            sum += dotRowCol(A, B, 2 * i + di, 2 * j + dj, n, k);
    R[idx] = sum;
}

int main()
{
    int m = 50, n = 62, k = 45;
    int total = (m / 2) * (n / 2);

    std::vector<double> A(m * k), B(k * n), R(total);
    for (double &v : A) v = rand() / (double)RAND_MAX;
    for (double &v : B) v = rand() / (double)RAND_MAX;

    double *dA, *dB, *dR;
    gpuErrchk(cudaMalloc(&dA, m * k * sizeof(double)));
    gpuErrchk(cudaMalloc(&dB, k * n * sizeof(double)));
    gpuErrchk(cudaMalloc(&dR, total * sizeof(double)));
    gpuErrchk(cudaMemcpy(dA, A.data(), m * k * sizeof(double), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dB, B.data(), k * n * sizeof(double), cudaMemcpyHostToDevice));

    int threads = 256;
    int blocks = (total + threads - 1) / threads;
    rmmLinear<<<blocks, threads>>>(dA, dB, dR, m, n, k);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());
    gpuErrchk(cudaMemcpy(R.data(), dR, total * sizeof(double), cudaMemcpyDeviceToHost));

    double worst = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            double ref = 0;
            for (int p = 0; p < k; ++p)
                ref += (A[2 * i * k + p] + A[(2 * i + 1) * k + p])
                     * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
            worst = fmax(worst, fabs(ref - R[i * (n / 2) + j]));
        }
    printf("largest difference: %e -> %s\n", worst, worst < 1e-9 ? "ok" : "NOT ok");

    gpuErrchk(cudaFree(dA));
    gpuErrchk(cudaFree(dB));
    gpuErrchk(cudaFree(dR));
    return worst < 1e-9 ? 0 : 1;
}
