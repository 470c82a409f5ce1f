// Toplu matris carpimi: her b icin C[b] = A[b] * B[b]
// Matrisler bellekte art arda durur. blockIdx.z hangi matris oldugunu soyler.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define KARO 8

#define KONTROL(x) if ((x) != cudaSuccess) { printf("CUDA hatasi, satir %d: FAILED\n", __LINE__); return 1; }

__global__ void topluCarp(const int *A, const int *B, int *C,
                          int satir, int orta, int sutun, int adet)
{
    __shared__ int a[KARO][KARO];
    __shared__ int b[KARO][KARO];

    const int s = blockIdx.y * KARO + threadIdx.y;
    const int t = blockIdx.x * KARO + threadIdx.x;

    // z boyutu adet'ten kucukse blok birden fazla matrisi isler
    for (int z = blockIdx.z; z < adet; z += gridDim.z) {
        const int *Az = A + (size_t)z * satir * orta;
        const int *Bz = B + (size_t)z * orta * sutun;
        int *Cz = C + (size_t)z * satir * sutun;

        int toplam = 0;
        for (int p0 = 0; p0 < orta; p0 += KARO) {
            int pa = p0 + threadIdx.x;
            int pb = p0 + threadIdx.y;
            a[threadIdx.y][threadIdx.x] = (s < satir && pa < orta) ? Az[s * orta + pa] : 0;
            b[threadIdx.y][threadIdx.x] = (pb < orta && t < sutun) ? Bz[pb * sutun + t] : 0;
            __syncthreads();
            for (int p = 0; p < KARO; p++)
                toplam += a[threadIdx.y][p] * b[p][threadIdx.x];
            __syncthreads();
        }
        if (s < satir && t < sutun)
            Cz[s * sutun + t] = toplam;
    }
}

int main()
{
    const int satir = 27, orta = 19, sutun = 35, adet = 11;
    std::vector<int> A(adet * satir * orta), B(adet * orta * sutun), C(adet * satir * sutun, 0);
    for (size_t i = 0; i < A.size(); i++) A[i] = int(i * 31 % 23) - 11;
    for (size_t i = 0; i < B.size(); i++) B[i] = int(i * 17 % 29) - 14;

    int *dA, *dB, *dC;
    KONTROL(cudaMalloc(&dA, A.size() * sizeof(int)));
    KONTROL(cudaMalloc(&dB, B.size() * sizeof(int)));
    KONTROL(cudaMalloc(&dC, C.size() * sizeof(int)));
    KONTROL(cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice));
    KONTROL(cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice));

    dim3 blok(KARO, KARO);
    dim3 izgara((sutun + KARO - 1) / KARO, (satir + KARO - 1) / KARO, 4);
    topluCarp<<<izgara, blok>>>(dA, dB, dC, satir, orta, sutun, adet);
    KONTROL(cudaGetLastError());
    KONTROL(cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost));
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);

    int hata = 0;
    for (int z = 0; z < adet; z++)
        for (int i = 0; i < satir; i++)
            for (int j = 0; j < sutun; j++) {
                int beklenen = 0;
                for (int p = 0; p < orta; p++)
                    beklenen += A[(z * satir + i) * orta + p] * B[(z * orta + p) * sutun + j];
                if (beklenen != C[(z * satir + i) * sutun + j]) hata++;
            }
    printf("Toplu carpim, hatali eleman %d: %s\n", hata, hata == 0 ? "OK" : "FAILED");
    return hata == 0 ? 0 : 1;
}
