#include <cuda_runtime.h>
#include <cstdio>

// trasposta di una matrice righe x colonne, senza memoria condivisa,
// ogni thread si occupa di quattro righe
#define PER_THREAD 4

__global__ void trasponi(const int *in, int *out, int righe, int colonne)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = (blockIdx.y * blockDim.y + threadIdx.y) * PER_THREAD;

    if (c >= colonne)
        return;
    for (int d = 0; d < PER_THREAD; d++) {
        int r = r0 + d;
        if (r < righe)
            out[c * colonne + r] = in[r * colonne + c];
    }
}

int main()
{
    int righe = 70, colonne = 50;
    int *in, *out;
    cudaMallocManaged(&in, righe * colonne * sizeof(int));
    cudaMallocManaged(&out, righe * colonne * sizeof(int));
    for (int i = 0; i < righe * colonne; i++) in[i] = i;
    dim3 blocco(32, 4);
    dim3 griglia((colonne + 31) / 32, (righe + 4 * PER_THREAD - 1) / (4 * PER_THREAD));
    trasponi<<<griglia, blocco>>>(in, out, righe, colonne);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[1]);
    return 0;
}
