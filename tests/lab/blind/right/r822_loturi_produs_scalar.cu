// Produse scalare pe loturi: rez[l] = suma_i x[l][i] * y[l][i]
// Un bloc pentru fiecare pereche (dacă sunt prea multe, blocul ia mai multe perechi).
// Vectorii pot avea pas (inc) și distanță între loturi (dist).
// n și numărul de loturi sub un milion, inc >= 1.
#include <cuda_runtime.h>

#define FIRE 128

struct Lot {
    const float *date;
    size_t dist;     // distanța dintre doi vectori
    size_t inc;      // distanța dintre două elemente
};

__global__ void produseLoturi(Lot x, Lot y, float *rez, int n, int loturi)
{
    __shared__ float s[FIRE];

    for (int l = blockIdx.x; l < loturi; l += gridDim.x) {
        const float *px = x.date + l * x.dist;
        const float *py = y.date + l * y.dist;

        float v = 0.0f;
        for (int i = threadIdx.x; i < n; i += FIRE)
            v += px[i * x.inc] * py[i * y.inc];

        s[threadIdx.x] = v;
        __syncthreads();

        for (int d = FIRE / 2; d >= 1; d /= 2) {
            if (threadIdx.x < d)
                s[threadIdx.x] += s[threadIdx.x + d];
            __syncthreads();
        }

        if (threadIdx.x == 0)
            rez[l] = s[0];
        __syncthreads();   // s se refolosește la lotul următor
    }
}

void calculeaza(Lot x, Lot y, float *d_rez, int n, int loturi)
{
    int blocuri = loturi < 2048 ? loturi : 2048;
    if (blocuri > 0)
        produseLoturi<<<blocuri, FIRE>>>(x, y, d_rez, n, loturi);
}
