// C = A * B^T, int8-syötteet ja int32-tulos
//   A: m x k, B: n x k, C: m x n, kaikki riveittäin
//   k on neljän monikerta, k <= 65536; m, n <= 100000
//   A ja B tulevat suoraan cudaMallocista (neljä tavua luetaan kerralla)
//
//   dim3 lohko(16, 16);
//   dim3 hila((n + 15) / 16, (m + 15) / 16);
//   tulo_abt<16><<<hila, lohko>>>(A, B, C, m, n, k);

#include <cstdint>

template <int R>
__global__ void tulo_abt(const int8_t *A, const int8_t *B, int32_t *C,
                         int m, int n, int k)
{
    __shared__ int a[R][R + 1];
    __shared__ int b[R][R + 1];

    const int *A4 = (const int *)A;
    const int *B4 = (const int *)B;
    const int k4 = k / 4;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int rivi = blockIdx.y * R + ty;
    int sarake = blockIdx.x * R + tx;

    // B:n rivi, jonka tämä säie lataa (eri kuin sarake!)
    int brivi = blockIdx.x * R + ty;

    int summa = 0;
    for (int p = 0; p < k4; p += R) {
        int q = p + tx;
        a[ty][tx] = (rivi < m && q < k4) ? A4[(size_t)rivi * k4 + q] : 0;
        b[ty][tx] = (brivi < n && q < k4) ? B4[(size_t)brivi * k4 + q] : 0;
        __syncthreads();

        #pragma unroll
        for (int l = 0; l < R; ++l)
            summa = __dp4a(a[ty][l], b[tx][l], summa);
        __syncthreads();
    }

    if (rivi < m && sarake < n)
        C[(size_t)rivi * n + sarake] = summa;
}

template __global__ void tulo_abt<16>(const int8_t *, const int8_t *, int32_t *, int, int, int);
