// Reduced matmul with a fixed number of blocks; each block takes tile after tile.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define D 8

__global__ void reduced_tiles(const double *A, const double *B, double *C,
                              int rows, int inner, int cols)
{
    __shared__ double left[D][D + 1];
    __shared__ double right[D][D + 1];

    const int outR = rows / 2, outC = cols / 2;
    const int tilesX = (outC + D - 1) / D;
    const int tilesY = (outR + D - 1) / D;
    const int tx = threadIdx.x, ty = threadIdx.y;
    double value = 0.0;

    for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
        const int i = tile / tilesX * D + ty;
        const int j = tile % tilesX * D + tx;

        for (int k0 = 0; k0 < inner; k0 += D) {
            double l = 0.0, r = 0.0;
            if (i < outR && k0 + tx < inner)
                l = A[2 * i * inner + k0 + tx] + A[(2 * i + 1) * inner + k0 + tx];
            if (j < outC && k0 + ty < inner)
                r = B[(k0 + ty) * cols + 2 * j] + B[(k0 + ty) * cols + 2 * j + 1];
            left[ty][tx] = l;
            right[ty][tx] = r;
            __syncthreads();
            for (int k = 0; k < D; k++)
                value += left[ty][k] * right[k][tx];
            __syncthreads();
        }

        if (i < outR && j < outC)
            C[i * outC + j] = value;
    }
}

int main(int argc, char **argv)
{
    const int rows = 60, inner = 45, cols = 52;
    const int blocks = argc > 1 ? atoi(argv[1]) : 20;
    std::vector<double> a(rows * inner), b(inner * cols), c(rows / 2 * (cols / 2));
    for (size_t i = 0; i < a.size(); i++) a[i] = (i * 7 % 10) / 10.0;
    for (size_t i = 0; i < b.size(); i++) b[i] = (i * 3 % 8) / 8.0;

    double *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(double));
    cudaMalloc(&db, b.size() * sizeof(double));
    cudaMalloc(&dc, c.size() * sizeof(double));
    cudaMemcpy(da, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);

    reduced_tiles<<<blocks, dim3(D, D)>>>(da, db, dc, rows, inner, cols);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double err = 0.0;
    for (int i = 0; i < rows / 2; i++)
        for (int j = 0; j < cols / 2; j++) {
            double s = 0.0;
            for (int k = 0; k < inner; k++)
                s += (a[2 * i * inner + k] + a[(2 * i + 1) * inner + k])
                   * (b[k * cols + 2 * j] + b[k * cols + 2 * j + 1]);
            err = std::fmax(err, std::fabs(s - c[i * (cols / 2) + j]));
        }
    std::printf("largest difference: %g\n", err);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
