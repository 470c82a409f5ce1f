// Transpos matriks dengan pitch.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define PETAK 32
#define BARIS_BLOK 8
#define CEK(x) if ((x) != cudaSuccess) { printf("galat CUDA, baris %d\n", __LINE__); exit(2); }

template <class T>
__global__ void transpos(T *keluar, size_t pitchKeluar, const T *masuk, size_t pitchMasuk,
                         int lebar, int tinggi)
{
    __shared__ T petak[PETAK][PETAK + 1];

    int x = blockIdx.x * PETAK + threadIdx.x;
    int y = blockIdx.y * PETAK + threadIdx.y;

    for (int d = 0; d < PETAK; d += BARIS_BLOK)
        if (x < lebar && y + d < tinggi) {
            const T *baris = (const T *)((const char *)masuk + (y + d) * pitchMasuk);
            petak[threadIdx.y + d][threadIdx.x] = baris[x];
        }

    __syncthreads();

    // posisi blok ditukar, posisi di dalam petak juga
    x = blockIdx.y * PETAK + threadIdx.x;
    y = blockIdx.x * PETAK + threadIdx.y;

    for (int d = 0; d < PETAK; d += BARIS_BLOK)
        if (x < tinggi && y + d < lebar) {
            T *baris = (T *)((char *)keluar + (y + d) * pitchKeluar);
            baris[x] = petak[threadIdx.x][threadIdx.y + d];
        }
}

int main()
{
    const int lebar = 75, tinggi = 130;
    short *h = (short *)malloc(lebar * tinggi * sizeof(short));
    short *hasil = (short *)malloc(lebar * tinggi * sizeof(short));
    for (int i = 0; i < lebar * tinggi; i++) h[i] = (short)(i * 3);

    short *dM, *dK;
    size_t pM, pK;
    CEK(cudaMallocPitch((void **)&dM, &pM, lebar * sizeof(short), tinggi));
    CEK(cudaMallocPitch((void **)&dK, &pK, tinggi * sizeof(short), lebar));
    CEK(cudaMemcpy2D(dM, pM, h, lebar * sizeof(short), lebar * sizeof(short), tinggi,
                     cudaMemcpyHostToDevice));

    dim3 blok(PETAK, BARIS_BLOK);
    dim3 kisi((lebar + PETAK - 1) / PETAK, (tinggi + PETAK - 1) / PETAK);
    transpos<short><<<kisi, blok>>>(dK, pK, dM, pM, lebar, tinggi);
    CEK(cudaGetLastError());

    CEK(cudaMemcpy2D(hasil, tinggi * sizeof(short), dK, pK, tinggi * sizeof(short), lebar,
                     cudaMemcpyDeviceToHost));

    int salah = 0;
    for (int i = 0; i < tinggi; i++)
        for (int j = 0; j < lebar; j++)
            if (hasil[j * tinggi + i] != h[i * lebar + j]) salah++;
    printf("salah: %d\n", salah);

    cudaFree(dM);
    cudaFree(dK);
    free(h);
    free(hasil);
    return salah ? 1 : 0;
}
