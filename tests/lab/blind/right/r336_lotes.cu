// Trabalho 7 - produto de matrizes em lotes
// Para cada b: C[b] = A[b] * B[b], A[b] e m x k, B[b] e k x n, guardados em sequencia.
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cmath>
using namespace std;

const int TAM = 8;

__global__ void lotes(const float *A, const float *B, float *C,
                      int m, int k, int n, int quantos)
{
    __shared__ float pa[TAM][TAM], pb[TAM][TAM];
    int lin = blockIdx.y * TAM + threadIdx.y;
    int col = blockIdx.x * TAM + threadIdx.x;

    // o eixo z da grade pode ser menor do que o numero de lotes
    for (int b = blockIdx.z; b < quantos; b += gridDim.z) {
        const float *Ab = A + (long long)b * m * k;
        const float *Bb = B + (long long)b * k * n;
        float *Cb = C + (long long)b * m * n;

        float acc = 0;
        for (int t = 0; t < (k - 1) / TAM + 1; ++t) {
            int ka = t * TAM + threadIdx.x;
            int kb = t * TAM + threadIdx.y;
            pa[threadIdx.y][threadIdx.x] = (lin < m && ka < k) ? Ab[lin * k + ka] : 0;
            pb[threadIdx.y][threadIdx.x] = (kb < k && col < n) ? Bb[kb * n + col] : 0;
            __syncthreads();
            for (int i = 0; i < TAM; ++i)
                acc += pa[threadIdx.y][i] * pb[i][threadIdx.x];
            __syncthreads();
        }
        if (lin < m && col < n)
            Cb[lin * n + col] = acc;
    }
}

int main()
{
    int m = 21, k = 34, n = 13, quantos = 11;
    vector<float> hA(quantos * m * k), hB(quantos * k * n), hC(quantos * m * n);
    for (float &x : hA) x = rand() / (float)RAND_MAX - 0.5f;
    for (float &x : hB) x = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, hA.size() * sizeof(float));
    cudaMalloc(&dB, hB.size() * sizeof(float));
    cudaMalloc(&dC, hC.size() * sizeof(float));
    cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 fios(TAM, TAM);
    dim3 grade((n - 1) / TAM + 1, (m - 1) / TAM + 1, min(quantos, 4));
    lotes<<<grade, fios>>>(dA, dB, dC, m, k, n, quantos);
    cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float pior = 0;
    for (int b = 0; b < quantos; b++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float s = 0;
                for (int q = 0; q < k; q++)
                    s += hA[(b * m + i) * k + q] * hB[(b * k + q) * n + j];
                pior = max(pior, fabsf(s - hC[(b * m + i) * n + j]));
            }
    cout << "maior erro: " << pior << endl;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return pior < 1e-4f ? 0 : 1;
}
