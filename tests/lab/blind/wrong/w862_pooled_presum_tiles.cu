#include <cuda_runtime.h>

// Hasil darab terkurang:
//   A ialah 2m x k, B ialah k x 2n (baris demi baris), C ialah m x n
//   C(i,j) = jumlah empat unsur A*B dalam segi empat 2 x 2 di (2i, 2j)
// Pasangan baris A dan pasangan lajur B dijumlahkan dahulu ketika dimuat,
// jadi hanya satu pendaraban setiap langkah k.
// m, n dan k sebarang. Blok 32 x 8 bebenang.

template <int J>
__device__ inline float pasangan(const float *p, int langkah) { return p[0] + p[(size_t)J * langkah]; }

__global__ void darabKurang(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float ja[32][33];
    __shared__ float jb[32][33];
    const int lajur = blockIdx.x * 32 + threadIdx.x;
    const int baris0 = blockIdx.y * 32;
    float hasil[4] = {0, 0, 0, 0};

    for (int t = 0; t < k; t += 32) {
        for (int r = threadIdx.y; r < 32; r += 8) {
            const int i = baris0 + r, ka = t + threadIdx.x;
            ja[r][threadIdx.x] = (2 * i + 1 < m && ka < k)
                ? pasangan<1>(A + (size_t)(2 * i) * k + ka, k) : 0.f;
            const int kb = t + r;
            jb[r][threadIdx.x] = (lajur < n && kb < k)
                ? pasangan<1>(B + (size_t)kb * (2 * n) + 2 * lajur, 1) : 0.f;
        }
        __syncthreads();
        for (int q = 0; q < 32; ++q) {
            const float b = jb[q][threadIdx.x];
            for (int s = 0; s < 4; ++s)
                hasil[s] += ja[threadIdx.y + 8 * s][q] * b;
        }
        __syncthreads();
    }

    for (int s = 0; s < 4; ++s) {
        const int i = baris0 + threadIdx.y + 8 * s;
        if (i < m && lajur < n)
            C[(size_t)i * n + lajur] = hasil[s];
    }
}

void jalankan(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 blok(32, 8), grid((n + 31) / 32, (m + 31) / 32);
    darabKurang<<<grid, blok>>>(A, B, C, m, n, k);
}
