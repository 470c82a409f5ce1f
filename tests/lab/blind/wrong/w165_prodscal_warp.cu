// Produit scalaire : réduction par warp puis par bloc
// 256 threads par bloc, un seul atomicAdd par bloc
// *res doit valoir 0 avant l'appel

#define NB_THREADS 256
#define NB_WARPS (NB_THREADS / 32)

__device__ double reduireWarp(double val)
{
    for (int d = 16; d >= 1; d >>= 1)
        val += __shfl_down_sync(0x0000ffffu, val, d);
    return val;
}

__global__ void prodScal(double *res, const double *a, const double *b, int taille)
{
    __shared__ double sommes[NB_WARPS];
    int voie = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    double val = 0.0;
    int i = blockIdx.x * NB_THREADS + threadIdx.x;
    while (i < taille) {
        val += a[i] * b[i];
        i += gridDim.x * NB_THREADS;
    }

    val = reduireWarp(val);
    if (voie == 0)
        sommes[warp] = val;
    __syncthreads();

    if (threadIdx.x == 0) {
        double total = 0.0;
        for (int w = 0; w < NB_WARPS; w++)
            total += sommes[w];
        atomicAdd(res, total);
    }
}
