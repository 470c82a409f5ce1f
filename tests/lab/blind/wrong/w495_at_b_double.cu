// C = A^T * B with doubles. A: k x m, B: k x n, C: m x n, row major.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

struct Dims { int m, n, k; };

__global__ void atb(const double *A, const double *B, double *C, Dims d)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= d.m * d.n) return;
    const int i = id / d.n;
    const int j = id % d.n;
    double s = 0.0;
    for (int p = 0; p < d.k; ++p)
        s += A[p * d.m + i] * B[p * d.n + j];
    C[id] = s;
}

static double rnd() { return rand() / (double)RAND_MAX; }

int main(int argc, char **argv)
{
    Dims d = {48, 80, 200};
    if (argc > 3) {
        d.m = atoi(argv[1]);
        d.n = atoi(argv[2]);
        d.k = atoi(argv[3]);
    }
    const size_t bytesA = sizeof(double) * d.k * d.m;
    const size_t bytesB = sizeof(double) * d.k * d.n;
    const size_t bytesC = sizeof(double) * d.m * d.n;

    double *A = (double *)malloc(bytesA);
    double *B = (double *)malloc(bytesB);
    double *C = (double *)malloc(bytesC);
    for (int i = 0; i < d.k * d.m; ++i) A[i] = rnd();
    for (int i = 0; i < d.k * d.n; ++i) B[i] = rnd();

    double *dA, *dB, *dC;
    cudaMalloc(&dA, bytesA);
    cudaMalloc(&dB, bytesB);
    cudaMalloc(&dC, bytesC);
    cudaMemcpy(dA, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bytesA, cudaMemcpyHostToDevice);

    const int threads = 192;
    const int blocks = (d.m * d.n + threads - 1) / threads;
    atb<<<blocks, threads>>>(dA, dB, dC, d);
    cudaMemcpy(C, dC, bytesC, cudaMemcpyDeviceToHost);

    double worst = 0.0;
    for (int i = 0; i < d.m; ++i)
        for (int j = 0; j < d.n; ++j) {
            double s = 0.0;
            for (int p = 0; p < d.k; ++p) s += A[p * d.m + i] * B[p * d.n + j];
            worst = fmax(worst, fabs(s - C[i * d.n + j]));
        }
    printf("largest difference: %g\n", worst);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return worst < 1e-9 ? 0 : 1;
}
