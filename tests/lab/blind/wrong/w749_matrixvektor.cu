// Aflevering 2: y = A x med x i delt hukommelse
// A er m x n raekkevis, en traad pr. raekke, m og n vilkaarlige.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define BLOKSTR 128

__global__ void matrixVektor(const double *A, const double *x, double *y, int m, int n)
{
    __shared__ double xdel[BLOKSTR];

    int traad = threadIdx.x;
    int raekke = blockIdx.x * BLOKSTR + traad;
    double sum = 0.0;

    for (int start = 0; start < n; start += BLOKSTR) {
        // hele blokken henter et stykke af x
        if (start + traad < n)
            xdel[traad] = x[start + traad];
        __syncthreads();

        int laengde = min(BLOKSTR, n - start);
        if (raekke < m) {
            for (int j = 0; j < laengde; j++)
                sum += A[(size_t)raekke * n + start + j] * xdel[j];
            __syncthreads();
        }
    }

    if (raekke < m)
        y[raekke] = sum;
}

// A, x og y ligger i vaertens hukommelse
void gangMatrixVektor(const double *A, const double *x, double *y, int m, int n)
{
    double *dA, *dx, *dy;
    size_t strA = (size_t)m * n * sizeof(double);

    if (cudaMalloc(&dA, strA) != cudaSuccess ||
        cudaMalloc(&dx, n * sizeof(double)) != cudaSuccess ||
        cudaMalloc(&dy, m * sizeof(double)) != cudaSuccess) {
        fprintf(stderr, "ikke nok hukommelse\n");
        exit(1);
    }
    cudaMemcpy(dA, A, strA, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);

    int blokke = (m + BLOKSTR - 1) / BLOKSTR;
    matrixVektor<<<blokke, BLOKSTR>>>(dA, dx, dy, m, n);
    cudaError_t fejl = cudaGetLastError();
    if (fejl != cudaSuccess) {
        fprintf(stderr, "CUDA-fejl: %s\n", cudaGetErrorString(fejl));
        exit(1);
    }

    cudaMemcpy(y, dy, m * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
}
