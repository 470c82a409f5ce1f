// Laboration 5: matrisprodukt med dubbla buffertar i delat minne.
// C (m x n) = A (m x k) * B (k x n), radvis lagrade, godtyckliga storlekar.
#include <cuda_runtime.h>
#include <cstdio>

#define RUTA 16

struct Matris {
    int rader;
    int kolumner;
    float *data;      // minne pa grafikkortet
};

__device__ float hamta(const Matris &M, int rad, int kol)
{
    if (rad >= M.rader || kol >= M.kolumner)
        return 0.0f;
    return M.data[(size_t)rad * M.kolumner + kol];
}

__global__ void matrisprodukt(Matris A, Matris B, Matris C)
{
    __shared__ float bufA[2][RUTA][RUTA];
    __shared__ float bufB[2][RUTA][RUTA];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int rad = blockIdx.y * RUTA + y;
    const int kol = blockIdx.x * RUTA + x;
    const int antal = (A.kolumner + RUTA - 1) / RUTA;

    // forsta rutan
    bufA[0][y][x] = hamta(A, rad, x);
    bufB[0][y][x] = hamta(B, y, kol);
    __syncthreads();

    int nu = 0;
    float summa = 0.0f;
    for (int t = 0; t < antal; ++t) {
        const int sedan = nu ^ 1;

        // hamta nasta ruta medan vi raknar med den har
        if (t + 1 < antal) {
            bufA[sedan][y][x] = hamta(A, rad, (t + 1) * RUTA + x);
            bufB[sedan][y][x] = hamta(B, (t + 1) * RUTA + y, kol);
        }

        __syncthreads();

        for (int i = 0; i < RUTA; ++i)
            summa += bufA[nu][y][i] * bufB[nu][i][x];

        nu = sedan;
    }

    if (rad < C.rader && kol < C.kolumner)
        C.data[(size_t)rad * C.kolumner + kol] = summa;
}

int korProdukt(const Matris &A, const Matris &B, Matris &C)
{
    if (A.kolumner != B.rader || A.rader != C.rader || B.kolumner != C.kolumner) {
        fprintf(stderr, "storlekarna passar inte ihop\n");
        return -1;
    }
    dim3 tradar(RUTA, RUTA);
    dim3 block((C.kolumner + RUTA - 1) / RUTA, (C.rader + RUTA - 1) / RUTA);
    matrisprodukt<<<block, tradar>>>(A, B, C);
    cudaError_t fel = cudaDeviceSynchronize();
    if (fel != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(fel));
        return -2;
    }
    return 0;
}
