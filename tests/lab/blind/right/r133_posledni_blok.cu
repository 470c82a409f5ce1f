// Skalární součin v jediném spuštění: poslední blok sečte částečné součty.
#include <cstdio>
#include <cstdlib>
#include <cmath>

const int VLAKEN = 128;

__device__ unsigned int hotovo = 0;

__global__ void skalarniSoucin(const double *u, const double *v, int n,
                               double *castecne, double *vysledek)
{
    __shared__ double s[VLAKEN];
    __shared__ bool posledni;
    const int t = threadIdx.x;

    double soucet = 0.0;
    for (int i = blockIdx.x * VLAKEN + t; i < n; i += gridDim.x * VLAKEN)
        soucet += u[i] * v[i];
    s[t] = soucet;
    __syncthreads();
    for (int pul = VLAKEN / 2; pul > 0; pul /= 2) {
        if (t < pul)
            s[t] += s[t + pul];
        __syncthreads();
    }

    if (t == 0) {
        castecne[blockIdx.x] = s[0];
        __threadfence();
        // citac se po poslednim bloku sam vrati na nulu
        unsigned int poradi = atomicInc(&hotovo, gridDim.x - 1);
        posledni = (poradi == gridDim.x - 1);
        __threadfence();
    }
    __syncthreads();

    if (posledni) {
        const volatile double *p = castecne;
        soucet = 0.0;
        for (int i = t; i < gridDim.x; i += VLAKEN)
            soucet += p[i];
        s[t] = soucet;
        __syncthreads();
        for (int pul = VLAKEN / 2; pul > 0; pul /= 2) {
            if (t < pul)
                s[t] += s[t + pul];
            __syncthreads();
        }
        if (t == 0)
            *vysledek = s[0];
    }
}

int main()
{
    const int n = 123456, bloku = 40;
    double *u = (double *)malloc(n * sizeof(double));
    double *v = (double *)malloc(n * sizeof(double));
    double presne = 0.0;
    for (int i = 0; i < n; i++) {
        u[i] = sin(0.001 * i);
        v[i] = cos(0.002 * i);
        presne += u[i] * v[i];
    }

    double *du, *dv, *dc, *dr, r[2];
    cudaMalloc(&du, n * sizeof(double));
    cudaMalloc(&dv, n * sizeof(double));
    cudaMalloc(&dc, bloku * sizeof(double));
    cudaMalloc(&dr, 2 * sizeof(double));
    cudaMemcpy(du, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v, n * sizeof(double), cudaMemcpyHostToDevice);

    // dvakrat po sobe, abychom overili nulovani citace
    skalarniSoucin<<<bloku, VLAKEN>>>(du, dv, n, dc, dr);
    skalarniSoucin<<<bloku, VLAKEN>>>(du, dv, n, dc, dr + 1);
    cudaMemcpy(r, dr, 2 * sizeof(double), cudaMemcpyDeviceToHost);

    printf("%.12f %.12f (CPU %.12f)\n", r[0], r[1], presne);
    cudaFree(du); cudaFree(dv); cudaFree(dc); cudaFree(dr);
    free(u); free(v);
    return fabs(r[0] - presne) > 1e-6 || fabs(r[1] - presne) > 1e-6;
}
