// Lab 2: y = A x, one thread per row, row-major double matrix.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void mv(const double *A, const double *x, double *y, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        double acc = 0.0;
        for (int c = 0; c < cols; c++)
            acc += A[(size_t)r * cols + c] * x[c];
        y[r] = acc;
    }
}

int runCase(int rows, int cols)
{
    std::vector<double> A((size_t)rows * cols), x(cols), y(rows, -1.0);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            A[(size_t)r * cols + c] = 1.0 / (1.0 + ((r + 3 * c) % 19));
    for (int c = 0; c < cols; c++)
        x[c] = (c % 7) - 3.0;

    double *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dx, cols * sizeof(double));
    cudaMalloc(&dy, rows * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice);

    const int threads = 128;
    mv<<<(rows + threads - 1) / threads, threads>>>(dA, dx, dy, rows, cols);
    cudaMemcpy(y.data(), dy, rows * sizeof(double), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int r = 0; r < rows; r++) {
        double ref = 0.0;
        for (int c = 0; c < cols; c++)
            ref += A[(size_t)r * cols + c] * x[c];
        if (!(std::fabs(ref - y[r]) < 1e-9))
            bad++;
    }
    printf("%d x %d: %d bad rows\n", rows, cols, bad);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return bad;
}

int main()
{
    int bad = 0;
    bad += runCase(1000, 1500);
    bad += runCase(129, 40);
    bad += runCase(2, 3000);
    return bad ? 1 : 0;
}
