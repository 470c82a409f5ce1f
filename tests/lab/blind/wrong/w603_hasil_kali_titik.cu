/*
  Tugas Besar Komputasi Paralel
  Hasil kali titik dua vektor, dua tahap reduksi di GPU
  n bebas (boleh sampai puluhan juta)
*/
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define UKURAN_BLOK 256
#define MAKS_BLOK   1024

__device__ void reduksiBlok(volatile float *s, int id)
{
    for (int jarak = UKURAN_BLOK / 2; jarak > 0; jarak >>= 1) {
        if (id < jarak)
            s[id] = s[id] + s[id + jarak];
        __syncthreads();
    }
}

__global__ void tahapSatu(const float *u, const float *v, float *sementara, int n)
{
    __shared__ float s[UKURAN_BLOK];
    int id = threadIdx.x;
    float jumlah = 0.0f;

    for (int i = blockIdx.x * UKURAN_BLOK + id; i < n; i += UKURAN_BLOK * gridDim.x)
        jumlah += u[i] * v[i];

    s[id] = jumlah;
    __syncthreads();
    reduksiBlok(s, id);
    if (id == 0)
        sementara[blockIdx.x] = s[0];
}

__global__ void tahapDua(const float *sementara, float *hasil, int banyak)
{
    __shared__ float s[UKURAN_BLOK];
    int id = threadIdx.x;

    s[id] = (id < banyak) ? sementara[id] : 0.0f;
    __syncthreads();
    reduksiBlok(s, id);
    if (id == 0)
        hasil[0] = s[0];
}

int main()
{
    const int n = 5000000;
    std::vector<float> u(n, 0.5f), v(n, 2.0f);

    int blok = (n + UKURAN_BLOK - 1) / UKURAN_BLOK;
    if (blok > MAKS_BLOK) blok = MAKS_BLOK;

    float *du, *dv, *dsementara, *dhasil, hasil;
    cudaMalloc(&du, n * sizeof(float));
    cudaMalloc(&dv, n * sizeof(float));
    cudaMalloc(&dsementara, blok * sizeof(float));
    cudaMalloc(&dhasil, sizeof(float));

    cudaMemcpy(du, &u[0], n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, &v[0], n * sizeof(float), cudaMemcpyHostToDevice);

    tahapSatu<<<blok, UKURAN_BLOK>>>(du, dv, dsementara, n);
    tahapDua<<<1, UKURAN_BLOK>>>(dsementara, dhasil, blok);

    cudaMemcpy(&hasil, dhasil, sizeof(float), cudaMemcpyDeviceToHost);
    printf("hasil = %.1f\n", hasil);

    cudaFree(du);
    cudaFree(dv);
    cudaFree(dsementara);
    cudaFree(dhasil);
    return 0;
}
