// Opgave 5: prikprodukt med shuffle
//
// sum over i af x[i] * y[i]; n er vilkaarlig (ogsaa stoerre end antallet af traade).
// Kaldes med en blok paa 256 traade og et frit antal blokke, og *resultat sat til 0:
//     cudaMemset(resultat, 0, sizeof(double));
//     prikprodukt<<<blokke, 256>>>(x, y, n, resultat);
#include <cuda_runtime.h>

#define BLOK 256
#define VARP 32
#define ALLE 0xffffffffu

__device__ double varpSum(double v)
{
    for (int afstand = VARP / 2; afstand > 0; afstand /= 2)
        v += __shfl_down_sync(ALLE, v, afstand, VARP / 2);
    return v;                       // summen ligger hos traad 0 i varpen
}

__device__ double blokSum(double v)
{
    __shared__ double delsum[BLOK / VARP];

    const int varp = threadIdx.x / VARP;
    const int plads = threadIdx.x % VARP;

    v = varpSum(v);
    if (plads == 0)
        delsum[varp] = v;
    __syncthreads();

    if (varp == 0) {
        v = plads < BLOK / VARP ? delsum[plads] : 0.0;
        v = varpSum(v);
    }
    return v;
}

__global__ void __launch_bounds__(BLOK)
prikprodukt(const double *x, const double *y, long long n, double *resultat)
{
    const long long skridt = (long long)gridDim.x * BLOK;
    long long i = (long long)blockIdx.x * BLOK + threadIdx.x;

    double sum = 0.0;
    for (; i < n; i += skridt)
        sum = fma(x[i], y[i], sum);

    sum = blokSum(sum);
    if (threadIdx.x == 0)
        atomicAdd(resultat, sum);
}
