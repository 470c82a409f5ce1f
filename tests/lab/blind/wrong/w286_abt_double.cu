// C = A * B^T in dubbele precisie (opdracht 3, parallelle algoritmen)
// A: M x K, B: N x K, C: M x N, rij voor rij opgeslagen.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define GPU(x) do { cudaError_t r = (x); if (r != cudaSuccess) { \
    std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(r)); std::exit(1); } } while (0)

constexpr int TEGEL = 32;

__global__ void abt(const double *A, const double *B, double *C, int M, int N, int K)
{
    __shared__ double tegelA[TEGEL][TEGEL];
    __shared__ double tegelB[TEGEL][TEGEL + 1];

    const int rij   = blockIdx.y * TEGEL + threadIdx.y;
    const int kolom = blockIdx.x * TEGEL + threadIdx.x;
    const int rijB  = blockIdx.x * TEGEL + threadIdx.y;

    double som = 0.0;
    for (int k0 = 0; k0 < K; k0 += TEGEL) {
        const int k = k0 + threadIdx.x;
        tegelA[threadIdx.y][threadIdx.x] = (rij < M && k < K) ? A[(size_t)rij * K + k] : 0.0;
        tegelB[threadIdx.y][threadIdx.x] = (rijB < N && k < K) ? B[(size_t)rijB * K + k] : 0.0;
        __syncthreads();

        for (int i = 0; i < TEGEL; ++i)
            som += tegelA[threadIdx.y][i] * tegelB[threadIdx.x][i];
    }

    if (rij < M && kolom < N)
        C[(size_t)rij * N + kolom] = som;
}

int main()
{
    const int M = 500, N = 420, K = 390;
    std::vector<double> A((size_t)M * K), B((size_t)N * K), C((size_t)M * N);
    for (auto &v : A) v = std::rand() / (double)RAND_MAX;
    for (auto &v : B) v = std::rand() / (double)RAND_MAX;

    double *dA, *dB, *dC;
    GPU(cudaMalloc(&dA, A.size() * sizeof(double)));
    GPU(cudaMalloc(&dB, B.size() * sizeof(double)));
    GPU(cudaMalloc(&dC, C.size() * sizeof(double)));
    GPU(cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice));

    dim3 blok(TEGEL, TEGEL);
    dim3 rooster((N + TEGEL - 1) / TEGEL, (M + TEGEL - 1) / TEGEL);
    abt<<<rooster, blok>>>(dA, dB, dC, M, N, K);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost));

    double fout = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += A[(size_t)i * K + k] * B[(size_t)j * K + k];
            fout = std::fmax(fout, std::fabs(s - C[(size_t)i * N + j]));
        }
    std::printf("grootste fout %g -> %s\n", fout, fout < 1e-9 ? "goed" : "FOUT");
    GPU(cudaFree(dA)); GPU(cudaFree(dB)); GPU(cudaFree(dC));
    return fout < 1e-9 ? 0 : 1;
}
