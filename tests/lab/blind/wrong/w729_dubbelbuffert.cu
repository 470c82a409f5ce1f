// Laboration 3: matrisprodukt med dubbelbuffring
//
// C = A * B dar A ar m x k, B ar k x n, alla lagrade radvis.
// m, n och k ska vara multipler av RUTA.
//
// Medan en ruta raknas hamtas nasta ruta till den andra bufferten, sa att
// det racker med en barriar per varv.
//
// Starta med block (RUTA, RUTA) och rutnat (n / RUTA, m / RUTA).
#include <cuda_runtime.h>

constexpr int RUTA = 16;

__global__ void dubbelbuffert(const float *__restrict__ A,
                              const float *__restrict__ B,
                              float *__restrict__ C,
                              int m, int n, int k)
{
    __shared__ float bufA[2][RUTA][RUTA];
    __shared__ float bufB[2][RUTA][RUTA];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int rad = blockIdx.y * RUTA + ty;
    const int kol = blockIdx.x * RUTA + tx;
    const int antal = k / RUTA;

    const float *pa = A + (size_t)rad * k + tx;      // rad i A
    const float *pb = B + (size_t)ty * n + kol;      // kolumn i B

    int nu = 0;
    bufA[nu][ty][tx] = *pa;
    bufB[nu][ty][tx] = *pb;
    __syncthreads();

    float summa = 0.0f;
    for (int varv = 0; varv < antal; ++varv) {
        const int nasta = nu ^ 1;
        if (varv + 1 < antal) {
            pa += RUTA;
            pb += (size_t)RUTA * n;
            bufA[nasta][ty][tx] = *pa;
            bufB[nu][ty][tx] = *pb;
        }

        #pragma unroll
        for (int i = 0; i < RUTA; ++i)
            summa = fmaf(bufA[nu][ty][i], bufB[nu][i][tx], summa);

        __syncthreads();
        nu = nasta;
    }

    C[(size_t)rad * n + kol] = summa;
}
