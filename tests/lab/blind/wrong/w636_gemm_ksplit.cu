// GEMM mit aufgeteilter K-Dimension. Jeder Block (x, y, z) rechnet eine
// 16x16-Kachel ueber den z-ten Teil von K und addiert sie atomar auf C.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

constexpr int KACHEL = 16;

__global__ void gemmTeilK(const double* A, const double* B, double* C,
                          int M, int N, int K, int teilLaenge)
{
    __shared__ double tA[KACHEL][KACHEL];
    __shared__ double tB[KACHEL][KACHEL];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int zeile = blockIdx.y * KACHEL + ty;
    const int spalte = blockIdx.x * KACHEL + tx;
    const int von = blockIdx.z * teilLaenge;
    const int bis = von + teilLaenge < K ? von + teilLaenge : K;

    double summe = 0.0;
    for (int k0 = von; k0 < bis; k0 += KACHEL) {
        tA[ty][tx] = (zeile < M && k0 + tx < K) ? A[zeile * K + k0 + tx] : 0.0;
        tB[ty][tx] = (k0 + ty < K && spalte < N) ? B[(k0 + ty) * N + spalte] : 0.0;
        __syncthreads();
        for (int i = 0; i < KACHEL; ++i)
            summe += tA[ty][i] * tB[i][tx];
        __syncthreads();
    }
    if (zeile < M && spalte < N)
        atomicAdd(C + zeile * N + spalte, summe);
}

int main()
{
    const int M = 40, N = 56, K = 1000, teile = 8;
    const int teilLaenge = (K + teile - 1) / teile;
    std::vector<double> A(M * K), B(K * N), C(M * N, 0.0);
    for (int i = 0; i < M * K; ++i) A[i] = (i % 21) * 0.1;
    for (int i = 0; i < K * N; ++i) B[i] = (i % 15) * 0.2;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, C.size() * sizeof(double));

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((N + KACHEL - 1) / KACHEL, (M + KACHEL - 1) / KACHEL, teile);
    gemmTeilK<<<gitter, block>>>(dA, dB, dC, M, N, K, teilLaenge);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double fehler = 0.0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0.0;
            for (int p = 0; p < K; ++p) s += A[i * K + p] * B[p * N + j];
            fehler = std::fmax(fehler, std::fabs(s - C[i * N + j]));
        }
    std::printf("max. Fehler %g\n", fehler);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return fehler < 1e-8 ? 0 : 1;
}
