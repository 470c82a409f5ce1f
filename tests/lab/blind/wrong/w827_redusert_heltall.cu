// Redusert matriseprodukt for heltall.
// A er M x K, B er K x N, M og N er partall. Resultatet er (M/2) x (N/2):
// C[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1] der P = A*B.
// Dimensjoner opp til 20000, verdiene er så små at int holder.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int RUTE = 32;            // rader og kolonner av C per blokk
constexpr int TY = 8;               // tråder i y
constexpr int PER = RUTE / TY;      // rader av C per tråd

__global__ void redusert(const int* __restrict__ A, const int* __restrict__ B, int* __restrict__ C,
                         int M, int N, int K)
{
    __shared__ int sa[RUTE][RUTE];
    __shared__ int sb[RUTE][RUTE];
    const int m2 = M / 2, n2 = N / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.y * RUTE;
    const int j = blockIdx.x * RUTE + tx;
    int sum[PER] = {};

    for (int k0 = 0; k0 < K; k0 += RUTE) {
        for (int r = ty; r < RUTE; r += TY) {
            const int i = i0 + r, ka = k0 + tx, kb = k0 + r;
            const size_t pa = (size_t)2 * i * K + ka;
            const size_t pb = (size_t)kb * N + 2 * j;
            sa[r][tx] = (i < m2 && ka < K) ? A[pa] + A[pa + K] : 0;
            sb[r][tx] = (kb < K && j < n2) ? B[pb] + B[pb + 1] : 0;
        }
        __syncthreads();
        for (int q = 0; q < RUTE; ++q) {
            const int b = sb[q][tx];
            for (int u = 0; u < PER; ++u)
                sum[u] += sa[ty + u * TY][q] * b;
        }
        __syncthreads();
    }

    for (int u = 0; u < PER; ++u) {
        const int i = i0 + ty + u * TY;
        if (i < m2 && j < N)
            C[(size_t)i * n2 + j] = sum[u];
    }
}

int main(int argc, char** argv)
{
    const int M = argc > 1 ? atoi(argv[1]) : 128;
    const int N = argc > 2 ? atoi(argv[2]) : 180;
    const int K = argc > 3 ? atoi(argv[3]) : 99;
    std::vector<int> A(M * K), B(K * N), C(M / 2 * (N / 2));
    for (auto& v : A) v = rand() % 9 - 4;
    for (auto& v : B) v = rand() % 9 - 4;
    int *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(int));
    cudaMalloc(&dB, B.size() * sizeof(int));
    cudaMalloc(&dC, C.size() * sizeof(int));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice);

    const dim3 traader(RUTE, TY);
    const dim3 blokker((N / 2 + RUTE - 1) / RUTE, (M / 2 + RUTE - 1) / RUTE);
    redusert<<<blokker, traader>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int feil = 0;
    for (int i = 0; i < M; i += 2)
        for (int j = 0; j < N; j += 2) {
            int s = 0;
            for (int k = 0; k < K; ++k)
                s += (A[i * K + k] + A[(i + 1) * K + k]) * (B[k * N + j] + B[k * N + j + 1]);
            feil += s != C[i / 2 * (N / 2) + j / 2];
        }
    printf("%d feil\n", feil);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
}
