// Esercitazione 8: prodotti di matrici a lotti
// Per ogni p: C[p] (m x n) = A[p] (m x k) * B[p] (k x n), per righe.
// passoB = 0 significa che tutti i prodotti usano la stessa B.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

extern __shared__ float memoria[];

__global__ void lotto(const float *A, size_t passoA,
                      const float *B, size_t passoB,
                      float *C, size_t passoC,
                      int m, int n, int k)
{
    const int lato = blockDim.x;             // blocco quadrato
    float *pa = memoria;                     // lato x lato
    float *pb = memoria + lato * lato;       // lato x lato

    A += blockIdx.z * passoA;
    B += blockIdx.z * passoB;
    C += blockIdx.z * passoC;

    const int i = blockIdx.y * lato + threadIdx.y;
    const int j = blockIdx.x * lato + threadIdx.x;
    const int qui = threadIdx.y * lato + threadIdx.x;
    const int piastrelle = (k + lato - 1) / lato;

    float somma = 0.0f;
    for (int t = 0; t < piastrelle; ++t) {
        const int ca = t * lato + threadIdx.x;
        const int rb = t * lato + threadIdx.y;
        pa[qui] = (i < m && ca < k) ? A[i * k + ca] : 0.0f;
        pb[qui] = (rb < k && j < n) ? B[rb * n + j] : 0.0f;
        __syncthreads();
        for (int l = 0; l < lato; ++l)
            somma += pa[threadIdx.y * lato + l] * pb[l * lato + threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n)
        C[i * n + j] = somma;
}

int prova(int quanti, int m, int n, int k, bool bComune, int lato)
{
    const size_t pA = size_t(m) * k, pB = bComune ? 0 : size_t(k) * n, pC = size_t(m) * n;
    std::vector<float> A(pA * quanti), B(bComune ? size_t(k) * n : pB * quanti), C(pC * quanti);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float((i * 7) % 13) - 6.0f;
    for (size_t i = 0; i < B.size(); ++i) B[i] = float((i * 3) % 10) - 5.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blocco(lato, lato);
    dim3 griglia((n + lato - 1) / lato, (m + lato - 1) / lato, quanti);
    size_t byte = 2 * size_t(lato) * lato * sizeof(float);
    lotto<<<griglia, blocco, byte>>>(dA, pA, dB, pB, dC, pC, m, n, k);
    if (cudaGetLastError() != cudaSuccess) return -1;
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);

    int sbagliati = 0;
    for (int p = 0; p < quanti; ++p)
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                float s = 0;
                for (int l = 0; l < k; ++l)
                    s += A[p * pA + i * k + l] * B[p * pB + l * n + j];
                if (std::fabs(s - C[p * pC + i * n + j]) > 1e-3f) ++sbagliati;
            }
    return sbagliati;
}

int main()
{
    int e1 = prova(5, 20, 33, 18, false, 16);
    int e2 = prova(3, 40, 12, 64, true, 8);
    int e3 = prova(1, 9, 9, 50, false, 32);
    std::printf("errori: %d %d %d\n", e1, e2, e3);
    return (e1 || e2 || e3) ? 1 : 0;
}
