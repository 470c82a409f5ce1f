#include <cuda_runtime.h>

// Tam sayı vektörlerin iç çarpımı.
// Giriş değerleri -100000 ile 100000 arasındadır, n en fazla 2^28.
// Sonuç 64 bit olarak döner.
__global__ void icCarpim(const int *a, const int *b, int n, unsigned long long *sonuc)
{
    long long toplam = 0;
    int adim = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += adim)
        toplam += a[i] * b[i];

    // warp içinde topla
    for (int k = 16; k > 0; k /= 2)
        toplam += __shfl_down_sync(0xffffffffu, toplam, k);

    if ((threadIdx.x & 31) == 0)
        atomicAdd(sonuc, (unsigned long long)toplam);
}

long long icCarpimHesapla(const int *d_a, const int *d_b, int n)
{
    unsigned long long *d_s, s = 0;
    cudaMalloc(&d_s, sizeof(s));
    cudaMemset(d_s, 0, sizeof(s));
    icCarpim<<<120, 256>>>(d_a, d_b, n, d_s);
    cudaMemcpy(&s, d_s, sizeof(s), cudaMemcpyDeviceToHost);
    cudaFree(d_s);
    return (long long)s;
}
