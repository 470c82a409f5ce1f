// Produit scalaire : chaque bloc ecrit sa somme partielle dans partiel[blockIdx.x].
// Le CPU additionne ensuite les partiels.
// Lancement : produit_scalaire<<<64, 128>>>(x, y, partiel, n);   // partiel : 64 doubles

__inline__ __device__ double somme_warp(double v)
{
    v += __shfl_xor_sync(0xffffffff, v, 16);
    v += __shfl_xor_sync(0xffffffff, v, 8);
    v += __shfl_xor_sync(0xffffffff, v, 4);
    v += __shfl_xor_sync(0xffffffff, v, 2);
    v += __shfl_xor_sync(0xffffffff, v, 1);
    return v;
}

__global__ void produit_scalaire(const double *x, const double *y, double *partiel, long n)
{
    __shared__ double par_warp[32];

    double s = 0.0;
    long pas = (long)gridDim.x * blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += pas)
        s += x[i] * y[i];

    s = somme_warp(s);
    if ((threadIdx.x & 31) == 0)
        par_warp[threadIdx.x >> 5] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        double total = 0.0;
        for (int w = 0; w < (int)blockDim.x / 32; ++w)
            total += par_warp[w];
        partiel[blockIdx.x] = total;
    }
}
