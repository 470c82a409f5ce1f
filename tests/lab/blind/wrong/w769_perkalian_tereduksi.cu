/*
 * Tugas 4: perkalian matriks tereduksi
 *
 *   A (m x k) dan B (k x n) disimpan per baris, m dan n genap, k bebas.
 *   R (m/2 x n/2): jumlah empat elemen hasil kali pada baris 2i, 2i+1
 *   dan kolom 2j, 2j+1.
 *
 *   Blok 16 x 16; grid = (ceil((n/2) / 16), ceil((m/2) / 16)).
 */
#include <cuda_runtime.h>

#define U 16

template <typename T>
__device__ T jumlahBaris(const T *A, int i, int p, int m, int k)
{
    if (2 * i + 1 >= m || p >= k)
        return T(0);
    const T *a = A + (size_t)(2 * i) * k + p;
    return a[0] + a[k];
}

template <typename T>
__device__ T jumlahKolom(const T *B, int p, int j, int k, int n)
{
    if (2 * j + 1 >= n || p >= k)
        return T(0);
    const T *b = B + (size_t)p * n + 2 * j;
    return b[0] + b[1];
}

template <typename T>
__global__ void kaliTereduksi(const T *A, const T *B, T *R, int m, int k, int n)
{
    __shared__ T ubinA[U][U + 1];
    __shared__ T ubinB[U][U + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.y * U + ty;
    const int j = blockIdx.x * U + tx;

    T jumlah = T(0);
    int awal = 0;
    while (awal < k) {
        ubinA[ty][tx] = jumlahBaris(A, i, awal + tx, m, k);
        ubinB[ty][tx] = jumlahKolom(B, awal + ty, j, k, n);
        __syncthreads();

        for (int p = 0; p < U; ++p)
            jumlah += ubinA[ty][p] * ubinB[p][tx];

        __syncthreads();
        awal += U;
    }

    const int barisR = m / 2;
    const int kolomR = n / 2;
    if (i < barisR && j < n)
        R[(size_t)i * kolomR + j] = jumlah;
}

template __global__ void kaliTereduksi<float>(const float *, const float *, float *, int, int, int);
template __global__ void kaliTereduksi<double>(const double *, const double *, double *, int, int, int);
