// Trabalho 2 - y = A*x com A guardada por colunas (column-major).
// O vetor x entra na memoria compartilhada em faixas de FAIXA elementos.
// Bloco 64x4: threadIdx.x escolhe a linha, threadIdx.y divide as colunas da faixa.
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int LIN = 64;
constexpr int GRP = 4;
constexpr int FAIXA = 128;
static_assert(LIN * GRP >= FAIXA, "cada thread carrega no maximo um elemento de x");

__global__ void matvec_faixas(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[FAIXA];
    __shared__ float soma[GRP][LIN];

    int i = blockIdx.x * LIN + threadIdx.x;
    int t = threadIdx.y * LIN + threadIdx.x;
    float acc = 0.0f;

    for (int j0 = 0; j0 < n; j0 += FAIXA) {
        if (t < FAIXA)
            xs[t] = (j0 + t < n) ? x[j0 + t] : 0.0f;
        __syncthreads();

        int lim = min(FAIXA, n - j0);
        if (i < m) {
            for (int j = threadIdx.y; j < lim; j += GRP)
                acc += A[(size_t)(j0 + j) * m + i] * xs[j];
        }
        __syncthreads();
    }

    soma[threadIdx.y][threadIdx.x] = acc;
    __syncthreads();

    if (threadIdx.y == 0 && i < m) {
        float s = 0.0f;
        for (int g = 0; g < GRP; g++)
            s += soma[g][threadIdx.x];
        y[i] = s;
    }
}

static bool testa(int m, int n)
{
    std::vector<float> A((size_t)m * n), x(n), y(m);
    for (size_t q = 0; q < A.size(); q++) A[q] = (float)((q * 7) % 13) - 6.0f;
    for (int j = 0; j < n; j++) x[j] = (float)(j % 5) - 2.0f;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, m * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloco(LIN, GRP);
    matvec_faixas<<<(m + LIN - 1) / LIN, bloco>>>(dA, dx, dy, m, n);
    cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);

    for (int i = 0; i < m; i++) {
        double r = 0;
        for (int j = 0; j < n; j++) r += (double)A[(size_t)j * m + i] * x[j];
        if (std::fabs(r - y[i]) > 1e-3 * (1 + std::fabs(r))) return false;
    }
    return true;
}

int main()
{
    int casos[][2] = {{64, 128}, {1, 1}, {100, 37}, {513, 1000}, {2000, 129}};
    for (auto &c : casos)
        std::cout << c[0] << " x " << c[1] << ": " << (testa(c[0], c[1]) ? "ok" : "ERRO") << std::endl;
    return 0;
}
