// Ödev 4: gri tonlu görüntünün histogramı (256 kova)
// Her blok paylaşılan bellekte kendi histogramını tutar.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define KOVA 256

__global__ void histogram(const unsigned char* piksel, size_t n, unsigned int* sonuc)
{
    __shared__ unsigned int yerel[KOVA];
    yerel[threadIdx.x] = 0;
    __syncthreads();

    size_t adim = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += adim)
        atomicAdd(&yerel[piksel[i]], 1u);
    __syncthreads();

    atomicAdd(&sonuc[threadIdx.x], yerel[threadIdx.x]);
}

// Görüntüler birden fazla olabilir; hepsi aynı sayaç dizisini sırayla kullanır.
void hesapla(const unsigned char* h_piksel, size_t n, unsigned int* d_sonuc,
             unsigned int* h_sonuc)
{
    unsigned char* d_piksel;
    cudaMalloc(&d_piksel, n);
    cudaMemcpy(d_piksel, h_piksel, n, cudaMemcpyHostToDevice);
    cudaMemset(d_sonuc, 0, KOVA);

    size_t blok = (n + KOVA - 1) / KOVA;
    if (blok > 320) blok = 320;
    histogram<<<(unsigned)blok, KOVA>>>(d_piksel, n, d_sonuc);

    cudaMemcpy(h_sonuc, d_sonuc, KOVA * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    cudaFree(d_piksel);
}

int main(int argc, char** argv)
{
    int genislik = argc > 1 ? atoi(argv[1]) : 640;
    int yukseklik = argc > 2 ? atoi(argv[2]) : 480;
    if (genislik < 1 || yukseklik < 1) {
        printf("boyutlar pozitif olmalı\n");
        return 1;
    }
    size_t n = (size_t)genislik * yukseklik;

    unsigned int* d_sonuc;
    cudaMalloc(&d_sonuc, KOVA * sizeof(unsigned int));

    int hata = 0;
    for (int goruntu = 0; goruntu < 3; goruntu++) {
        std::vector<unsigned char> p(n);
        for (size_t i = 0; i < n; i++)
            p[i] = (unsigned char)(rand() >> 3);

        std::vector<unsigned int> beklenen(KOVA, 0), bulunan(KOVA, 0);
        for (size_t i = 0; i < n; i++)
            beklenen[p[i]]++;

        hesapla(p.data(), n, d_sonuc, bulunan.data());
        for (int k = 0; k < KOVA; k++)
            if (beklenen[k] != bulunan[k])
                hata++;
    }
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        printf("CUDA hatası: %s\n", cudaGetErrorString(e));
    printf("hatalı kova sayısı: %d\n", hata);
    cudaFree(d_sonuc);
    return hata != 0;
}
