// Ukol 4: redukovany soucin matic pomoci dlazdic
//
// A je m x k, B je k x n (m a n suda), R je (m/2) x (n/2):
//   R[i][j] = soucet ctyr prvku soucinu A*B v radcich 2i, 2i+1
//             a sloupcich 2j, 2j+1.
// Blok D x D vlaken pocita D x D prvku R, potrebuje tedy 2D radku A
// a 2D sloupcu B.  Mrizka: (ceil((n/2)/D), ceil((m/2)/D)).
// Rozmery jsou v konstantni pameti: rozmery[0] = m, [1] = n, [2] = k.
#include <cuda_runtime.h>

#define D 16

__constant__ int rozmery[3];

__global__ void redukovanySoucin(const float *A, const float *B, float *R)
{
    __shared__ float dlA[2 * D][D];
    __shared__ float dlB[D][2 * D];

    const int m = rozmery[0], n = rozmery[1], k = rozmery[2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int radek0 = blockIdx.y * 2 * D;
    const int sloupec0 = blockIdx.x * 2 * D;

    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;

    for (int k0 = 0; k0 < k; k0 += D) {
        for (int h = 0; h < 2; ++h) {
            const int ra = radek0 + ty + h * D;
            const int sb = sloupec0 + tx + h * D;
            dlA[ty + h * D][tx] = (ra < m && k0 + tx < k) ? A[ra * k + k0 + tx] : 0.0f;
            dlB[ty][tx + h * D] = (sb < n && k0 + ty < k) ? B[(k0 + ty) * n + sb] : 0.0f;
        }
        __syncthreads();

        for (int p = 0; p < D; ++p) {
            const float a0 = dlA[2 * ty][p];
            const float a1 = dlA[2 * ty + 1][p];
            const float b0 = dlB[p][tx];
            const float b1 = dlB[p][tx + D];
            s00 += a0 * b0;
            s01 += a0 * b1;
            s10 += a1 * b0;
            s11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = blockIdx.y * D + ty;
    const int j = blockIdx.x * D + tx;
    if (i < m / 2 && j < n / 2)
        R[i * (n / 2) + j] = s00 + s01 + s10 + s11;
}
