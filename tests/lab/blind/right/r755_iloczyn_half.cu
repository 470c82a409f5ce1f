// Mnozenie macierzy polowkowej precyzji (half), suma liczona we float.
// Rozmiary dowolne.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

const int BOK = 16;

__global__ void iloczynHalf(const __half *lewa, const __half *prawa, __half *wynik,
                            int wiersze, int wspolny, int kolumny)
{
    __shared__ __half kafelL[BOK][BOK + 2];
    __shared__ __half kafelP[BOK][BOK + 2];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int w = blockIdx.y * BOK + ty;
    const int k = blockIdx.x * BOK + tx;
    const __half zero = __float2half(0.0f);
    float suma = 0.0f;

    for (int start = 0; start < wspolny; start += BOK) {
        kafelL[ty][tx] = zero;
        kafelP[ty][tx] = zero;
        if (w < wiersze && start + tx < wspolny)
            kafelL[ty][tx] = lewa[w * wspolny + start + tx];
        if (start + ty < wspolny && k < kolumny)
            kafelP[ty][tx] = prawa[(start + ty) * kolumny + k];
        __syncthreads();

        #pragma unroll
        for (int i = 0; i < BOK; i++)
            suma = fmaf(__half2float(kafelL[ty][i]), __half2float(kafelP[i][tx]), suma);
        __syncthreads();
    }

    if (w < wiersze && k < kolumny)
        wynik[w * kolumny + k] = __float2half(suma);
}

int main()
{
    int W = 70, S = 45, K = 39;
    std::vector<__half> L(W * S), P(S * K), R(W * K);
    for (int i = 0; i < W * S; i++) L[i] = __float2half(((i * 7) % 17 - 8) * 0.125f);
    for (int i = 0; i < S * K; i++) P[i] = __float2half(((i * 5) % 19 - 9) * 0.125f);

    __half *dL, *dP, *dR;
    cudaMalloc((void **)&dL, sizeof(__half) * W * S);
    cudaMalloc((void **)&dP, sizeof(__half) * S * K);
    cudaMalloc((void **)&dR, sizeof(__half) * W * K);
    cudaMemcpy(dL, L.data(), sizeof(__half) * W * S, cudaMemcpyHostToDevice);
    cudaMemcpy(dP, P.data(), sizeof(__half) * S * K, cudaMemcpyHostToDevice);

    dim3 watki(BOK, BOK);
    dim3 bloki((K + BOK - 1) / BOK, (W + BOK - 1) / BOK);
    iloczynHalf<<<bloki, watki>>>(dL, dP, dR, W, S, K);
    cudaError_t blad = cudaGetLastError();
    if (blad == cudaSuccess)
        blad = cudaMemcpy(R.data(), dR, sizeof(__half) * W * K, cudaMemcpyDeviceToHost);
    cudaFree(dL);
    cudaFree(dP);
    cudaFree(dR);
    if (blad != cudaSuccess) {
        printf("%s: FAILED\n", cudaGetErrorString(blad));
        return 1;
    }

    int zle = 0;
    for (int i = 0; i < W; i++) {
        for (int j = 0; j < K; j++) {
            float s = 0.0f;
            for (int p = 0; p < S; p++)
                s += __half2float(L[i * S + p]) * __half2float(P[p * K + j]);
            float roznica = fabsf(s - __half2float(R[i * K + j]));
            if (!(roznica <= 2e-3f * fabsf(s) + 1e-3f)) zle++;
        }
    }
    printf("Niezgodnych elementow: %d, %s\n", zle, zle ? "FAILED" : "OK");
    return zle ? 1 : 0;
}
