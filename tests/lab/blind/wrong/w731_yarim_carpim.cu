// Odev 4: yarim duyarlikli (half) matris carpimi, C = A * B
// A: m x k, B: k x n, satir sirali; toplamlar float ile tutulur.
// Her blok C'nin bir satirini hesaplar, A'nin satiri paylasimli bellekte durur.
// m ve n serbest, k en fazla AZAMI_K (main icinde denetlenir).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>

constexpr int AZAMI_K = 2048;
constexpr int IPLIK = 128;

__global__ void yarimCarpim(const __half *A, const __half *B, __half *C,
                            int m, int n, int k)
{
    __shared__ float satirA[AZAMI_K];

    const int satir = blockIdx.x;

    for (int p = threadIdx.x; p < k; p += blockDim.x)
        satirA[p] = __half2float(A[(size_t)satir * k + p]);
    __syncthreads();

    float toplam = 0.0f;
    for (int sutun = threadIdx.x; sutun < n; sutun += blockDim.x) {
        for (int p = 0; p < k; ++p)
            toplam += satirA[p] * __half2float(B[(size_t)p * n + sutun]);
        C[(size_t)satir * n + sutun] = __float2half(toplam);
    }
}

int main()
{
    const int m = 90, n = 300, k = 200;
    if (k > AZAMI_K) {
        printf("k cok buyuk\n");
        return 1;
    }

    std::vector<__half> A(m * k), B(k * n), C(m * n);
    for (int i = 0; i < m * k; ++i) A[i] = __float2half((rand() % 17 - 8) / 8.0f);
    for (int i = 0; i < k * n; ++i) B[i] = __float2half((rand() % 17 - 8) / 8.0f);

    __half *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(__half) * m * k);
    cudaMalloc(&dB, sizeof(__half) * k * n);
    cudaMalloc(&dC, sizeof(__half) * m * n);
    cudaMemcpy(dA, A.data(), sizeof(__half) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(__half) * k * n, cudaMemcpyHostToDevice);

    yarimCarpim<<<m, IPLIK>>>(dA, dB, dC, m, n, k);
    cudaError_t hata = cudaGetLastError();
    if (hata != cudaSuccess) {
        printf("hata: %s\n", cudaGetErrorString(hata));
        return 1;
    }
    cudaMemcpy(C.data(), dC, sizeof(__half) * m * n, cudaMemcpyDeviceToHost);

    int yanlis = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float dogru = 0.0f;
            for (int p = 0; p < k; ++p)
                dogru += __half2float(A[i * k + p]) * __half2float(B[p * n + j]);
            float fark = std::fabs(dogru - __half2float(C[i * n + j]));
            if (fark > 0.05f + 0.002f * std::fabs(dogru)) ++yanlis;
        }
    printf("yanlis eleman: %d\n", yanlis);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return yanlis != 0;
}
