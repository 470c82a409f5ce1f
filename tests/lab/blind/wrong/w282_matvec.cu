// y = alpha * A * x : un warp par ligne
// lancement :
//   int blocs = (lignes + 7) / 8;
//   matVec<<<blocs, 256>>>(A, x, y, alpha, lignes, colonnes);
#include <cuda_runtime.h>

template <typename T>
__device__ T reduireWarp(T v)
{
    #pragma unroll
    for (int pas = 8; pas > 0; pas >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, pas);
    return v;
}

__global__ void matVec(const double *A, const double *x, double *y,
                       double alpha, int lignes, int colonnes)
{
    const int voie  = threadIdx.x % 32;
    const int ligne = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;

    double s = 0.0;
    if (ligne < lignes)
        for (int j = voie; j < colonnes; j += 32)
            s += A[(size_t)ligne * colonnes + j] * x[j];

    s = reduireWarp(s);
    if (voie == 0 && ligne < lignes)
        y[ligne] = alpha * s;
}
