#include <cuda_runtime.h>

// Inproduct in een enkele kernel: het blok dat als laatste klaar is telt de
// deelsommen op.  teller moet voor de eerste aanroep 0 zijn, daarna zet de
// kernel hem zelf terug.  deel[] heeft gridDim.x plaatsen.

constexpr int DRADEN = 64;   // macht van twee

__device__ double blokSom(double w, double *bak)
{
    int t = threadIdx.x;
    bak[t] = w;
    __syncthreads();
    for (int h = DRADEN / 2; h > 0; h /= 2) {
        if (t < h) bak[t] += bak[t + h];
        __syncthreads();
    }
    return bak[0];
}

__global__ void inproduct(const double *x, const double *y, int n,
                          volatile double *deel, unsigned *teller, double *uit)
{
    __shared__ double bak[DRADEN];
    __shared__ bool laatste;

    double s = 0;
    for (int i = blockIdx.x * DRADEN + threadIdx.x; i < n; i += gridDim.x * DRADEN)
        s += x[i] * y[i];
    s = blokSom(s, bak);

    if (threadIdx.x == 0) {
        deel[blockIdx.x] = s;
        __threadfence();
        laatste = (atomicAdd(teller, 1u) == gridDim.x - 1);
    }
    __syncthreads();

    if (laatste) {                       // voor het hele blok gelijk
        __threadfence();
        double r = 0;
        for (int b = threadIdx.x; b < gridDim.x; b += DRADEN)
            r += deel[b];
        r = blokSom(r, bak);
        if (threadIdx.x == 0) {
            *uit = r;
            *teller = 0;
        }
    }
}

void roepAan(const double *x, const double *y, int n, double *deel, int blokken,
             unsigned *teller, double *uit)
{
    inproduct<<<blokken, DRADEN>>>(x, y, n, deel, teller, uit);
}
