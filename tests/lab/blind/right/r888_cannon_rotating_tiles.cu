// Cannon-en algoritmoa bloke baten barruan: hari bakoitzak a eta b balio bana dauka,
// eta urrats bakoitzean a ezkerrera eta b gora biratzen dira memoria partekatuaren bidez.
// A (m x p), B (p x n), C (m x n), denak errenkadaka; neurriak edozein > 0.
#include <cuda_runtime.h>

template <typename Z, int T>
__global__ void cannon(const Z* A, const Z* B, Z* C, int m, int n, int p)
{
    __shared__ Z biraA[T][T];
    __shared__ Z biraB[T][T];

    const int e = threadIdx.y, z = threadIdx.x;          // errenkada, zutabea
    const int i = blockIdx.y * T + e, j = blockIdx.x * T + z;
    const int hasiera = (e + z) % T;                     // Cannon-en hasierako lerrokatzea
    const int eskuina = (z + 1) % T, behea = (e + 1) % T;

    Z batura = Z(0);
    for (int k0 = 0; k0 < p; k0 += T) {
        const int k = k0 + hasiera;
        Z a = (i < m && k < p) ? A[(size_t)i * p + k] : Z(0);
        Z b = (k < p && j < n) ? B[(size_t)k * n + j] : Z(0);

        batura += a * b;
        for (int urrats = 1; urrats < T; ++urrats) {
            biraA[e][z] = a;
            biraB[e][z] = b;
            __syncthreads();
            a = biraA[e][eskuina];
            b = biraB[behea][z];
            __syncthreads();
            batura += a * b;
        }
    }

    if (i < m && j < n) C[(size_t)i * n + j] = batura;
}

template <typename Z>
void biderkatu(const Z* A, const Z* B, Z* C, int m, int n, int p)
{
    if (m <= 64 && n <= 64)
        cannon<Z, 8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(A, B, C, m, n, p);
    else
        cannon<Z, 16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C, m, n, p);
}

template void biderkatu<float>(const float*, const float*, float*, int, int, int);
template void biderkatu<double>(const double*, const double*, double*, int, int, int);
