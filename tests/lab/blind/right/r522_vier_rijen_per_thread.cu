/* Opdracht 4: elke thread berekent 4 elementen van C (zelfde kolom, 4 rijen).
 *
 * blok:  dim3(64, 4)            -> 256 threads
 * grid:  dim3(N / 64, M / 16)   -> een blok berekent 16 rijen x 64 kolommen
 *
 * Eis: M en K zijn een veelvoud van 16, N is een veelvoud van 64.
 */
#include <cuda_runtime.h>

#define RIJEN   16
#define KOLOMMEN 64
#define DIEPTE  16
#define PER_THREAD 4

__global__ void matmul_4rijen(float *C, const float *A, const float *B,
                              unsigned int M, unsigned int N, unsigned int K)
{
    __shared__ float tegelA[RIJEN][DIEPTE];
    __shared__ float tegelB[DIEPTE][KOLOMMEN];

    const unsigned int tx = threadIdx.x;          // 0..63
    const unsigned int ty = threadIdx.y;          // 0..3
    const unsigned int id = ty * 64 + tx;         // 0..255
    const unsigned int rij0 = blockIdx.y * RIJEN;
    const unsigned int kol  = blockIdx.x * KOLOMMEN + tx;

    float som[PER_THREAD] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (unsigned int k0 = 0; k0 < K; k0 += DIEPTE) {
        // A: 16x16 = 256 elementen, precies een per thread
        tegelA[id / DIEPTE][id % DIEPTE] = A[(rij0 + id / DIEPTE) * K + k0 + id % DIEPTE];
        // B: 16x64 = 1024 elementen, vier per thread
        for (int r = 0; r < DIEPTE; r += 4)
            tegelB[r + ty][tx] = B[(k0 + r + ty) * N + kol];
        __syncthreads();

        for (int k = 0; k < DIEPTE; k++) {
            float b = tegelB[k][tx];              // een keer lezen, vier keer gebruiken
            for (int p = 0; p < PER_THREAD; p++)
                som[p] += tegelA[ty + 4 * p][k] * b;
        }
        __syncthreads();
    }

    for (int p = 0; p < PER_THREAD; p++)
        C[(rij0 + ty + 4 * p) * N + kol] = som[p];
}
