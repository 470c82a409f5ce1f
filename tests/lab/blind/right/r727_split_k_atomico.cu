// Prodotto di matrici con la dimensione comune divisa in fette (split-K).
// Ogni fetta (blockIdx.z) somma il suo contributo in C con atomicAdd,
// quindi C viene azzerata prima di ogni lancio.
#include <cstdio>
#include <cmath>
#include <vector>
#include <algorithm>

#define TS 16
#define CONTROLLA(x) if ((x) != cudaSuccess) { printf("errore CUDA alla riga %d FAILED\n", __LINE__); return 1; }

__global__ void prodotto_fette(const float* __restrict__ A, const float* __restrict__ B,
                               float* C, int m, int k, int n, int lungo)
{
    __shared__ float sA[TS][TS + 1], sB[TS][TS + 1];
    int riga = blockIdx.y * TS + threadIdx.y;
    int col  = blockIdx.x * TS + threadIdx.x;

    int inizio = blockIdx.z * lungo;
    int fine   = min(k, inizio + lungo);   // la fetta puo' essere vuota

    float s = 0.f;
    for (int p0 = inizio; p0 < fine; p0 += TS) {
        int pa = p0 + threadIdx.x;
        int pb = p0 + threadIdx.y;
        float va = 0.f, vb = 0.f;
        if (riga < m && pa < fine) va = A[(size_t)riga * k + pa];
        if (col < n && pb < fine)  vb = B[(size_t)pb * n + col];
        sA[threadIdx.y][threadIdx.x] = va;
        sB[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();
        for (int p = 0; p < TS; p++)
            s += sA[threadIdx.y][p] * sB[p][threadIdx.x];
        __syncthreads();
    }
    if (riga < m && col < n && inizio < fine)
        atomicAdd(&C[(size_t)riga * n + col], s);
}

cudaError_t moltiplica(const float* dA, const float* dB, float* dC,
                       int m, int k, int n, int fette)
{
    cudaError_t e = cudaMemset(dC, 0, sizeof(float) * m * (size_t)n);
    if (e != cudaSuccess) return e;
    int lungo = (k + fette - 1) / fette;
    dim3 blocco(TS, TS);
    dim3 griglia((n + TS - 1) / TS, (m + TS - 1) / TS, fette);
    prodotto_fette<<<griglia, blocco>>>(dA, dB, dC, m, k, n, lungo);
    return cudaGetLastError();
}

int main()
{
    int m = 37, k = 2003, n = 45;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (size_t i = 0; i < A.size(); i++) A[i] = (float)((i * 31) % 17) / 17.f - 0.4f;
    for (size_t i = 0; i < B.size(); i++) B[i] = (float)((i * 13) % 23) / 23.f - 0.6f;

    float *dA, *dB, *dC;
    CONTROLLA(cudaMalloc(&dA, A.size() * 4));
    CONTROLLA(cudaMalloc(&dB, B.size() * 4));
    CONTROLLA(cudaMalloc(&dC, C.size() * 4));
    CONTROLLA(cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice));
    CONTROLLA(cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice));

    double peggio = 0;
    int errati = 0;
    for (int fette : {1, 6, 13}) {
        CONTROLLA(moltiplica(dA, dB, dC, m, k, n, fette));
        CONTROLLA(cudaMemcpy(C.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double r = 0;
                for (int p = 0; p < k; p++) r += (double)A[i * k + p] * B[p * n + j];
                double scarto = std::fabs(r - C[i * n + j]);
                if (!(scarto < 2e-3)) errati++;
                peggio = std::max(peggio, scarto);
            }
    }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    bool bene = errati == 0;
    printf("split-K, scarto massimo %g, %s\n", peggio, bene ? "OK" : "FAILED");
    return !bene;
}
