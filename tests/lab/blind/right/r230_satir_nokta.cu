#include <cstdio>
#include <cuda_runtime.h>

#define IPLIK 64

// sonuc[s] = a'nin s. satiri ile b'nin s. satirinin nokta carpimi
__global__ void satirNokta(const double *a, const double *b, double *sonuc, int sutunlar)
{
    __shared__ double bellek[IPLIK];
    const double *sa = a + blockIdx.x * sutunlar;
    const double *sb = b + blockIdx.x * sutunlar;
    int t = threadIdx.x;

    double toplam = 0;
    for (int j = t; j < sutunlar; j += IPLIK)
        toplam += sa[j] * sb[j];
    bellek[t] = toplam;
    __syncthreads();

    if (t < 32) {
        double v = bellek[t] + bellek[t + 32];
        v += __shfl_down_sync(0xffffffff, v, 16);
        v += __shfl_down_sync(0xffffffff, v, 8);
        v += __shfl_down_sync(0xffffffff, v, 4);
        v += __shfl_down_sync(0xffffffff, v, 2);
        v += __shfl_down_sync(0xffffffff, v, 1);
        if (t == 0)
            sonuc[blockIdx.x] = v;
    }
}

int main()
{
    const int satirlar = 12, sutunlar = 77;
    double *a, *b, *s;
    cudaMallocManaged(&a, satirlar * sutunlar * sizeof(double));
    cudaMallocManaged(&b, satirlar * sutunlar * sizeof(double));
    cudaMallocManaged(&s, satirlar * sizeof(double));
    for (int i = 0; i < satirlar * sutunlar; i++) { a[i] = i / sutunlar; b[i] = 2; }
    satirNokta<<<satirlar, IPLIK>>>(a, b, s, sutunlar);
    cudaDeviceSynchronize();
    for (int i = 0; i < satirlar; i++) printf("%g ", s[i]);
    printf("\n");
    return 0;
}
