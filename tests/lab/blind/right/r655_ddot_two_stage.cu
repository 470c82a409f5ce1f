// DDOT from the old Fortran library, two kernels: block sums first, then the
// sum of the block sums. Indices kept 1-based as in the original.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

#define NTHR 256
#define X(i) x[(i) - 1]
#define Y(i) y[(i) - 1]
#define PART(i) part[(i) - 1]

__device__ double block_tree(double v)
{
    __shared__ double w[NTHR];
    int t = threadIdx.x;
    w[t] = v;
    __syncthreads();
    for (int h = NTHR / 2; h > 0; h /= 2) {
        if (t < h) w[t] += w[t + h];
        __syncthreads();
    }
    return w[0];
}

__global__ void ddot1(int n, const double *x, const double *y, double *part)
{
    double s = 0.0;
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x + 1; i <= n; i += step)
        s += X(i) * Y(i);
    s = block_tree(s);
    if (threadIdx.x == 0) PART(blockIdx.x + 1) = s;
}

__global__ void ddot2(int nb, const double *part, double *res)
{
    double s = 0.0;
    for (int i = threadIdx.x + 1; i <= nb; i += NTHR) s += PART(i);
    s = block_tree(s);
    if (threadIdx.x == 0) *res = s;
}

int main()
{
    const int n = 1000003;
    int nb = (n + NTHR - 1) / NTHR;
    if (nb > 600) nb = 600;

    double *x = (double *)malloc(n * sizeof(double));
    double *y = (double *)malloc(n * sizeof(double));
    double ref = 0.0;
    for (int i = 1; i <= n; i++) {
        X(i) = 1.0 / i;
        Y(i) = (i % 2) ? 1.0 : -1.0;
        ref += X(i) * Y(i);
    }

    double *dx, *dy, *dpart, *dres, res = 0.0;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dpart, nb * sizeof(double));
    cudaMalloc(&dres, sizeof(double));
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(double), cudaMemcpyHostToDevice);

    ddot1<<<nb, NTHR>>>(n, dx, dy, dpart);
    ddot2<<<1, NTHR>>>(nb, dpart, dres);
    cudaMemcpy(&res, dres, sizeof(double), cudaMemcpyDeviceToHost);

    printf("gpu %.12f  cpu %.12f\n", res, ref);
    cudaFree(dx); cudaFree(dy); cudaFree(dpart); cudaFree(dres);
    free(x); free(y);
    return fabs(res - ref) < 1e-9 ? 0 : 1;
}
