// y = A x in double precision (I first did it in float, now everything is double)
// one block of 128 threads per row
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define THREADS_PER_ROW 128

__global__ void matvec_double(const double* A, const double* x, double* y, int cols)
{
    __shared__ double warp_part[THREADS_PER_ROW / 32];

    const double* row = A + (size_t)blockIdx.x * cols;
    double sum = 0.0;
    for (int c = threadIdx.x; c < cols; c += THREADS_PER_ROW)
        sum += row[c] * x[c];

    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);

    if (threadIdx.x % 32 == 0)
        warp_part[threadIdx.x / 32] = sum;
    __syncthreads();

    if (threadIdx.x == 0)
        y[blockIdx.x] = warp_part[0] + warp_part[1] + warp_part[2] + warp_part[3];
}

int main(int argc, char* argv[])
{
    int rows = 2000, cols = 1500;
    if (argc >= 3) {
        rows = atoi(argv[1]);
        cols = atoi(argv[2]);
    }
    if (rows <= 0 || cols <= 0) return 1;

    const size_t sizeA = (size_t)rows * cols * sizeof(double);
    double* h_A = (double*)malloc(sizeA);
    double* h_x = (double*)malloc(cols * sizeof(double));
    double* h_y = (double*)malloc(rows * sizeof(double));
    for (size_t i = 0; i < (size_t)rows * cols; i++) h_A[i] = drand48();
    for (int i = 0; i < cols; i++) h_x[i] = drand48();

    double *d_A, *d_x, *d_y;
    cudaMalloc((void**)&d_A, sizeA);
    cudaMalloc((void**)&d_x, cols * sizeof(double));
    cudaMalloc((void**)&d_y, rows * sizeof(double));

    cudaMemcpy(d_A, h_A, sizeA, cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, h_x, cols * sizeof(float), cudaMemcpyHostToDevice);

    matvec_double<<<rows, THREADS_PER_ROW>>>(d_A, d_x, d_y, cols);
    cudaMemcpy(h_y, d_y, rows * sizeof(double), cudaMemcpyDeviceToHost);

    double max_err = 0.0;
    for (int r = 0; r < rows; r++) {
        double ref = 0.0;
        for (int c = 0; c < cols; c++)
            ref += h_A[(size_t)r * cols + c] * h_x[c];
        max_err = fmax(max_err, fabs(ref - h_y[r]));
    }
    printf("max error = %e\n", max_err);

    cudaFree(d_A); cudaFree(d_x); cudaFree(d_y);
    free(h_A); free(h_x); free(h_y);
    return 0;
}
