/* y = alpha*A*x + beta*y, A on m x n, rivit peräkkäin muistissa.
 * Yksi lohko laskee rivin kerrallaan ja siirtyy sitten gridDim.x riviä eteenpäin.
 * m ja n: 1 ... 1000000. Jos beta on 0, y:n vanhoja arvoja ei lueta.
 */
#include <stdio.h>
#include <cuda_runtime.h>

#define SAIKEITA 128
#define LOHKOJA_ENINTAAN 2048

__global__ void gemv(double alpha, const double *A, const double *x,
                     double beta, double *y, int m, int n)
{
    __shared__ double osa[SAIKEITA];
    int t = threadIdx.x;
    int i, j, h;

    for (i = blockIdx.x; i < m; i += gridDim.x) {
        const double *rivi = A + (size_t)i * n;
        double summa = 0.0;

        for (j = t; j < n; j += SAIKEITA)
            summa += rivi[j] * x[j];

        osa[t] = summa;
        __syncthreads();

        for (h = SAIKEITA / 2; h > 0; h /= 2) {
            if (t < h)
                osa[t] += osa[t + h];
            __syncthreads();
        }

        /* osa[0]:n lukee sama säie, joka kirjoittaa sen seuraavalla kierroksella */
        if (t == 0) {
            if (beta == 0.0)
                y[i] = alpha * osa[0];
            else
                y[i] = alpha * osa[0] + beta * y[i];
        }
    }
}

int aja_gemv(double alpha, const double *dA, const double *dx,
             double beta, double *dy, int m, int n)
{
    cudaError_t virhe;
    int lohkoja = m < LOHKOJA_ENINTAAN ? m : LOHKOJA_ENINTAAN;

    gemv<<<lohkoja, SAIKEITA>>>(alpha, dA, dx, beta, dy, m, n);

    virhe = cudaGetLastError();
    if (virhe == cudaSuccess)
        virhe = cudaDeviceSynchronize();
    if (virhe != cudaSuccess) {
        fprintf(stderr, "gemv: %s\n", cudaGetErrorString(virhe));
        return -1;
    }
    return 0;
}
