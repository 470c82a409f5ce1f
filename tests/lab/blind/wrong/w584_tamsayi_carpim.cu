// Tamsayi vektorlerin ic carpimi.
// Degerler -1000000 ile 1000000 arasinda, n en fazla 10 milyon,
// bu yuzden toplam long long (64 bit) olarak tutulur.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BLOK 256
#define PARCA 4     // her is parcacigi 4 eleman isler

__global__ void icCarpim(const int *a, const int *b, unsigned long long *sonuc, int n)
{
    __shared__ long long ara[BLOK];

    int ilk = blockIdx.x * BLOK * PARCA + threadIdx.x;
    long long toplam = 0;
    for (int j = 0; j < PARCA; j++) {
        int i = ilk + j * BLOK;
        if (i < n)
            toplam += a[i] * b[i];
    }
    ara[threadIdx.x] = toplam;
    __syncthreads();

    for (int adim = BLOK / 2; adim > 0; adim /= 2) {
        if (threadIdx.x < adim)
            ara[threadIdx.x] += ara[threadIdx.x + adim];
        __syncthreads();
    }

    // isaretli toplama ikiye tumleyende isaretsiz ile aynidir
    if (threadIdx.x == 0)
        atomicAdd(sonuc, (unsigned long long)ara[0]);
}

int main(int argc, char **argv)
{
    int n = 1000000, sinir = 1000;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) sinir = atoi(argv[2]);
    if (n < 1 || n > 10000000 || sinir < 1 || sinir > 1000000) {
        printf("kullanim: %s n sinir\n", argv[0]);
        return 1;
    }

    int *a = new int[n];
    int *b = new int[n];
    long long beklenen = 0;
    for (int i = 0; i < n; i++) {
        a[i] = rand() % (2 * sinir + 1) - sinir;
        b[i] = rand() % (2 * sinir + 1) - sinir;
        beklenen += (long long)a[i] * b[i];
    }

    int *da, *db;
    unsigned long long *ds;
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&ds, sizeof(unsigned long long));
    cudaMemcpy(da, a, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, sizeof(unsigned long long));

    int blokSayisi = (n + BLOK * PARCA - 1) / (BLOK * PARCA);
    icCarpim<<<blokSayisi, BLOK>>>(da, db, ds, n);

    long long sonuc = 0;
    cudaMemcpy(&sonuc, ds, sizeof(sonuc), cudaMemcpyDeviceToHost);
    printf("GPU: %lld  CPU: %lld  %s\n", sonuc, beklenen, sonuc == beklenen ? "DOGRU" : "YANLIS");

    cudaFree(da);
    cudaFree(db);
    cudaFree(ds);
    delete[] a;
    delete[] b;
    return 0;
}
