// dgemm: C <- alpha*A*B + beta*C. Tile edge chosen at run time (4, 8, 16 or 32).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

extern __shared__ double pool[];

__global__ void dgemm(int m, int n, int k, double alpha, const double* A, const double* B,
                      double beta, double* C)
{
    const int t = blockDim.x;
    double* sa = pool;
    double* sb = pool + t * t;
    const int x = threadIdx.x, y = threadIdx.y;
    const int r = blockIdx.y * t + y, c = blockIdx.x * t + x;

    double dot = 0.0;
    for (int s = 0; s < k; s += t) {
        double va = 0.0, vb = 0.0;
        if (r < m && s + x < k) va = A[(size_t)r * k + s + x];
        if (c < n && s + y < k) vb = B[(size_t)(s + y) * n + c];
        sa[y * t + x] = va;
        sb[y * t + x] = vb;
        __syncthreads();
        for (int q = 0; q < t; ++q) dot += sa[y * t + q] * sb[q * t + x];
        __syncthreads();
    }
    if (r < m && c < n) {
        double* out = C + (size_t)r * n + c;
        *out = beta == 0.0 ? alpha * dot : alpha * dot + beta * *out;
    }
}

int main(int argc, char** argv)
{
    int t = argc > 1 ? atoi(argv[1]) : 16;
    if (t != 4 && t != 8 && t != 16 && t != 32) {
        fprintf(stderr, "tile must be 4, 8, 16 or 32\n");
        return 1;
    }
    const int m = 90, n = 70, k = 101;
    const double alpha = 1.5, beta = -0.25;
    std::vector<double> a(m * k), b(k * n), c0(m * n), c(m * n);
    for (auto& v : a) v = drand48();
    for (auto& v : b) v = drand48() - 0.5;
    for (auto& v : c0) v = drand48();

    double *da, *db, *dc;
    cudaMalloc(&da, sizeof(double) * a.size());
    cudaMalloc(&db, sizeof(double) * b.size());
    cudaMalloc(&dc, sizeof(double) * c.size());
    cudaMemcpy(da, a.data(), sizeof(double) * a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), sizeof(double) * b.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c0.data(), sizeof(double) * c0.size(), cudaMemcpyHostToDevice);

    dim3 block(t, t), grid((n + t - 1) / t, (m + t - 1) / t);
    size_t bytes = 2 * sizeof(double) * t * t;
    dgemm<<<grid, block, bytes>>>(m, n, k, alpha, da, db, beta, dc);
    cudaMemcpy(c.data(), dc, sizeof(double) * c.size(), cudaMemcpyDeviceToHost);

    double worst = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0.0;
            for (int q = 0; q < k; ++q) s += a[i * k + q] * b[q * n + j];
            worst = fmax(worst, fabs(alpha * s + beta * c0[i * n + j] - c[i * n + j]));
        }
    printf("tile %d: max error %.3e\n", t, worst);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return worst < 1e-10 ? 0 : 1;
}
