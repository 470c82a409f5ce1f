#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

// C = A*B in double. A fixed number of blocks walks over all output tiles.
template <int T>
struct Tile { double v[T][T + 1]; };

template <int T>
__device__ void pull(Tile<T>& t, const double* M, int r0, int c0, int rows, int cols)
{
    int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    double x = 0.0;
    if (r < rows && c < cols) x = M[(long long)r * cols + c];
    t.v[threadIdx.y][threadIdx.x] = x;
}

template <int T>
__global__ void dgemm(const double* A, const double* B, double* C, int m, int k, int n)
{
    __shared__ Tile<T> ta, tb;

    const int across = (n + T - 1) / T;
    const int total = across * ((m + T - 1) / T);
    for (int id = blockIdx.x; id < total; id += gridDim.x) {
        const int r0 = id / across * T;
        const int c0 = id % across * T;
        double acc = 0.0;
        for (int k0 = 0; k0 < k; k0 += T) {
            pull<T>(ta, A, r0, k0, m, k);
            pull<T>(tb, B, k0, c0, k, n);
            __syncthreads();
            for (int q = 0; q < T; ++q)
                acc += ta.v[threadIdx.y][q] * tb.v[q][threadIdx.x];
            __syncthreads();
        }
        const int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
        if (r < m && c < n) C[(long long)r * n + c] = acc;
    }
}

static bool test(int m, int k, int n)
{
    double *A, *B, *C;
    cudaMallocManaged(&A, sizeof(double) * m * k);
    cudaMallocManaged(&B, sizeof(double) * k * n);
    cudaMallocManaged(&C, sizeof(double) * m * n);
    for (int i = 0; i < m * k; i++) A[i] = 0.25 * (i % 17) - 2;
    for (int i = 0; i < k * n; i++) B[i] = 0.5 * (i % 13) - 3;
    dgemm<8><<<5, dim3(8, 8)>>>(A, B, C, m, k, n);
    cudaDeviceSynchronize();
    double worst = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int q = 0; q < k; q++) s += A[i * k + q] * B[q * n + j];
            double d = fabs(s - C[i * n + j]);
            if (!(d <= worst)) worst = d;
        }
    cudaFree(A); cudaFree(B); cudaFree(C);
    printf("%d x %d x %d: max. error %g\n", m, k, n, worst);
    return worst < 1e-9;
}

int main()
{
    bool ok = test(8, 8, 8) && test(33, 21, 50) && test(1, 100, 3) && test(70, 9, 5);
    puts(ok ? "passed" : "FAILED");
    return ok ? 0 : 1;
}
