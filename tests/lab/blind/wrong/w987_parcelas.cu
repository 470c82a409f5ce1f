#include <cuda_runtime.h>
#include <cstdlib>
#include <cstdio>
#include <cmath>

// produto interno: cada bloco dá uma soma parcial, o host soma as parcelas

static const int FIOS = 32;

__global__ void parcelas(const double *x, const double *y, double *p, int n)
{
    __shared__ double s[FIOS];
    int t = threadIdx.x;
    int i = blockIdx.x * FIOS + t;

    s[t] = (i < n) ? x[i] * y[i] : 0.0;
    __syncthreads();
    for (int d = 1; d < FIOS; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) p[blockIdx.x] = s[0];
}

double interno(const double *x, const double *y, int n)
{
    int nb = (n + FIOS - 1) / FIOS;
    double *dx, *dy, *dp;
    double *hp = (double *)calloc(nb, sizeof(double));

    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dp, nb * sizeof(double));
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(double), cudaMemcpyHostToDevice);

    parcelas<<<nb, FIOS>>>(dx, dy, dp, n);
    cudaMemcpy(hp, dp, nb * sizeof(float), cudaMemcpyDeviceToHost);

    double total = 0;
    for (int b = 0; b < nb; b++) total += hp[b];

    free(hp);
    cudaFree(dx); cudaFree(dy); cudaFree(dp);
    return total;
}

int main()
{
    const int n = 301;
    double x[n], y[n], ref = 0;
    for (int i = 0; i < n; i++) {
        x[i] = 1.0 / (i + 1);
        y[i] = i % 4;
        ref += x[i] * y[i];
    }
    double r = interno(x, y, n);
    printf("%.12f  (CPU %.12f)\n", r, ref);
    return fabs(r - ref) > 1e-9;
}
