// Tugas 3: C = A^T * B
// A berukuran k x m, B berukuran k x n, C berukuran m x n (semua per baris).
// Ukuran bebas.
#include <cstdio>
#include <cuda_runtime.h>

#define UBIN 16

__global__ void kaliAtB(const double *A, const double *B, double *C,
                        int m, int n, int k)
{
    __shared__ double ubinA[UBIN][UBIN];   // ubinA[p][i]
    __shared__ double ubinB[UBIN][UBIN];   // ubinB[p][j]

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int baris = blockIdx.y * UBIN + ty;
    int kolom = blockIdx.x * UBIN + tx;
    int kolomA = blockIdx.y * UBIN + tx;

    if (baris < m && kolom < n) {
        double jumlah = 0.0;

        for (int t = 0; t < (k + UBIN - 1) / UBIN; t++) {
            int p = t * UBIN + ty;

            if (p < k && kolomA < m)
                ubinA[ty][tx] = A[p * m + kolomA];
            else
                ubinA[ty][tx] = 0.0;

            if (p < k && kolom < n)
                ubinB[ty][tx] = B[p * n + kolom];
            else
                ubinB[ty][tx] = 0.0;

            __syncthreads();

            for (int i = 0; i < UBIN; i++)
                jumlah += ubinA[i][ty] * ubinB[i][tx];

            __syncthreads();
        }

        C[baris * n + kolom] = jumlah;
    }
}

// dA, dB, dC: memori di GPU
int jalankan(const double *dA, const double *dB, double *dC, int m, int n, int k)
{
    dim3 blok(UBIN, UBIN);
    dim3 grid((n + UBIN - 1) / UBIN, (m + UBIN - 1) / UBIN);

    kaliAtB<<<grid, blok>>>(dA, dB, dC, m, n, k);

    cudaError_t galat = cudaDeviceSynchronize();
    if (galat != cudaSuccess) {
        fprintf(stderr, "galat CUDA: %s\n", cudaGetErrorString(galat));
        return -1;
    }
    return 0;
}
