// Ödev 2: iç çarpım, iki kernel ile (önce blok toplamları, sonra tek blok)
// Blok boyutu 192: ikinin kuvveti değil, ağaç buna göre yazıldı.
#include <cuda_runtime.h>
#include <cstdio>

static const int IPLIK = 192;

// Paylaşılan dizideki bütün değerleri s[0] içinde toplar.
__device__ void blokTopla(double *s)
{
    int t = threadIdx.x;
    int kalan = blockDim.x;
    while (kalan > 1) {
        int yari = (kalan + 1) / 2;        // tek sayıda ortadaki eleman yerinde kalır
        if (t < kalan / 2)
            s[t] += s[t + yari];
        __syncthreads();
        kalan = yari;
    }
}

__global__ void carpVeTopla(const double *x, const double *y, double *kismi, int n)
{
    __shared__ double s[IPLIK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = (i < n) ? x[i] * y[i] : 0.0;
    __syncthreads();
    blokTopla(s);
    if (threadIdx.x == 0)
        kismi[blockIdx.x] = s[0];
}

__global__ void hepsiniTopla(const double *kismi, double *sonuc, int adet)
{
    __shared__ double s[IPLIK];
    double toplam = 0.0;
    // blok sayısı iplik sayısından çok olabilir
    for (int i = threadIdx.x; i < adet; i += blockDim.x)
        toplam += kismi[i];
    s[threadIdx.x] = toplam;
    __syncthreads();
    blokTopla(s);
    if (threadIdx.x == 0)
        *sonuc = s[0];
}

double icCarpim(const double *h_x, const double *h_y, int n)
{
    if (n <= 0) return 0.0;
    int blok = (n + IPLIK - 1) / IPLIK;

    double *x, *y, *kismi, *sonuc, cevap = 0.0;
    cudaMalloc(&x, (size_t)n * sizeof(double));
    cudaMalloc(&y, (size_t)n * sizeof(double));
    cudaMalloc(&kismi, blok * sizeof(double));
    cudaMalloc(&sonuc, sizeof(double));
    cudaMemcpy(x, h_x, (size_t)n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(y, h_y, (size_t)n * sizeof(double), cudaMemcpyHostToDevice);

    carpVeTopla<<<blok, IPLIK>>>(x, y, kismi, n);
    hepsiniTopla<<<1, IPLIK>>>(kismi, sonuc, blok);

    cudaMemcpy(&cevap, sonuc, sizeof(double), cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess)
        std::printf("CUDA hatası!\n");
    cudaFree(x);
    cudaFree(y);
    cudaFree(kismi);
    cudaFree(sonuc);
    return cevap;
}
