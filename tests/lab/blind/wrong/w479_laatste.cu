// Inproduct in een kernel: het laatste blok telt de deelsommen van alle blokken op.
// Blokgrootte 128; het aantal blokken is vrij; deel heeft gridDim.x plaatsen;
// *teller is 0 voor de eerste aanroep.

#define BLOK 128

__device__ double blokSom(double *vak, double mijn)
{
    const int t = threadIdx.x;
    vak[t] = mijn;
    __syncthreads();
    for (int s = BLOK / 2; s > 0; s >>= 1) {
        if (t < s) vak[t] += vak[t + s];
        __syncthreads();
    }
    return vak[0];
}

__global__ void inproduct(const double *x, const double *y, int n,
                          volatile double *deel, unsigned int *teller, double *uit)
{
    __shared__ double vak[BLOK];
    __shared__ bool laatste;
    const int t = threadIdx.x;

    double s = 0.0;
    for (int i = blockIdx.x * BLOK + t; i < n; i += BLOK * gridDim.x)
        s += x[i] * y[i];
    s = blokSom(vak, s);

    if (t == 0) {
        deel[blockIdx.x] = s;
        __threadfence();
        laatste = atomicAdd(teller, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!laatste)
        return;

    __threadfence();
    s = 0.0;
    for (int b = t; b < (int)gridDim.x; b += BLOK)
        s = deel[b];
    s = blokSom(vak, s);
    if (t == 0) {
        *uit = s;
        *teller = 0;
    }
}
