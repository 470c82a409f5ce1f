// Lineární vrstva neuronové sítě s posunem a ReLU:
//     Y = max(0, X * W^T + b)
// X: vzorky x vstupy, W: vystupy x vstupy (uspořádání jako v PyTorchi),
// b: vystupy (smí být nullptr), Y: vzorky x vystupy. Vše po řádcích.
// Rozměry libovolné (vzorky <= 65535 * DLAZDICE).
#include <cuda_runtime.h>

template <int DLAZDICE>
__global__ void linearniRelu(const float *X, const float *W, const float *b, float *Y,
                             int vzorky, int vstupy, int vystupy)
{
    __shared__ float sX[DLAZDICE][DLAZDICE + 1];
    __shared__ float sW[DLAZDICE][DLAZDICE + 1];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int vzorek = blockIdx.y * DLAZDICE + ty;
    int prvniVystup = blockIdx.x * DLAZDICE;
    int vystup = prvniVystup + tx;

    float soucet = (b != nullptr && vystup < vystupy) ? b[vystup] : 0.0f;

    int pocet = (vstupy + DLAZDICE - 1) / DLAZDICE;
    for (int d = 0; d < pocet; ++d) {
        int k = d * DLAZDICE + tx;

        float x = 0.0f, w = 0.0f;
        if (k < vstupy) {
            if (vzorek < vzorky)
                x = X[(size_t)vzorek * vstupy + k];
            if (prvniVystup + ty < vystupy)          // řádek W, ne sloupec
                w = W[(size_t)(prvniVystup + ty) * vstupy + k];
        }
        sX[ty][tx] = x;
        sW[ty][tx] = w;
        __syncthreads();

        for (int q = 0; q < DLAZDICE; ++q)
            soucet += sX[ty][q] * sW[tx][q];
        __syncthreads();
    }

    if (vzorek < vzorky && vystup < vystupy)
        Y[(size_t)vzorek * vystupy + vystup] = soucet > 0.0f ? soucet : 0.0f;
}

void vrstva(const float *dX, const float *dW, const float *db, float *dY,
            int vzorky, int vstupy, int vystupy, cudaStream_t proud)
{
    const int D = 16;
    dim3 vlakna(D, D);
    dim3 mrizka((vystupy + D - 1) / D, (vzorky + D - 1) / D);
    linearniRelu<D><<<mrizka, vlakna, 0, proud>>>(dX, dW, db, dY, vzorky, vstupy, vystupy);
}
