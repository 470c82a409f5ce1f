// G = X^T * Y, e.g. cross covariance of two data sets with the same samples.
// X: samples x p, Y: samples x q, G: p x q. Row major.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define T 24

// copies one T x T piece of src, beginning at (r0, c0)
__device__ void loadTile(double (*dst)[T], const double* src,
                         int r0, int c0, int rows, int cols)
{
    int r = r0 + threadIdx.y;
    int c = c0 + threadIdx.x;
    if (r < rows && c < cols)
        dst[threadIdx.y][threadIdx.x] = src[(size_t)r * cols + c];
}

__global__ void crossProduct(const double* X, const double* Y, double* G,
                             int samples, int p, int q)
{
    __shared__ double xs[T][T];
    __shared__ double ys[T][T];

    int i0 = blockIdx.y * T;
    int j0 = blockIdx.x * T;
    double sum = 0.0;

    for (int s0 = 0; s0 < samples; s0 += T)
    {
        loadTile(xs, X, s0, i0, samples, p);
        loadTile(ys, Y, s0, j0, samples, q);
        __syncthreads();
        for (int s = 0; s < T; s++)
            sum += xs[s][threadIdx.y] * ys[s][threadIdx.x];
        __syncthreads();
    }

    int i = i0 + threadIdx.y;
    int j = j0 + threadIdx.x;
    if (i < p && j < q)
        G[(size_t)i * q + j] = sum;
}

int main()
{
    const int samples = 1000, p = 60, q = 45;
    std::vector<double> X(samples * p), Y(samples * q), G(p * q);
    for (size_t i = 0; i < X.size(); i++) X[i] = std::sin(i * 0.37);
    for (size_t i = 0; i < Y.size(); i++) Y[i] = std::cos(i * 0.11);

    double *dX, *dY, *dG;
    cudaMalloc(&dX, X.size() * sizeof(double));
    cudaMalloc(&dY, Y.size() * sizeof(double));
    cudaMalloc(&dG, G.size() * sizeof(double));
    cudaMemcpy(dX, X.data(), X.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dY, Y.data(), Y.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(T, T);
    dim3 grid((q + T - 1) / T, (p + T - 1) / T);
    crossProduct<<<grid, block>>>(dX, dY, dG, samples, p, q);

    cudaMemcpy(G.data(), dG, G.size() * sizeof(double), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < p; i++)
        for (int j = 0; j < q; j++)
        {
            double want = 0;
            for (int s = 0; s < samples; s++) want += X[s * p + i] * Y[s * q + j];
            worst = std::fmax(worst, std::fabs(want - G[i * q + j]));
        }
    printf("worst error: %e\n", worst);

    cudaFree(dX);
    cudaFree(dY);
    cudaFree(dG);
    return 0;
}
