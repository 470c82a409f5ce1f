// The sum of a 2x2 square of A*B is (row pair of A summed) * (column pair of B
// summed), so the pairs are added while the tiles are loaded.
// m and n must be even.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static void ok(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

constexpr int DEPTH = 16;

__global__ void reduced_mm(const double* A, const double* B, double* R, int m, int k, int n)
{
    extern __shared__ double buffer[];
    double* sa = buffer;                        // blockDim.y x DEPTH
    double* sb = buffer + blockDim.y * DEPTH;   // DEPTH x blockDim.x

    const int bx = blockDim.x, by = blockDim.y;
    const int tid = threadIdx.y * bx + threadIdx.x;
    const int count = bx * by;
    const int h = m / 2, w = n / 2;
    const int i0 = blockIdx.y * by, j0 = blockIdx.x * bx;

    double sum = 0.0;
    for (int k0 = 0; k0 < k; k0 += DEPTH) {
        for (int e = tid; e < by * DEPTH; e += count) {
            const int i = i0 + e / DEPTH, p = k0 + e % DEPTH;
            double v = 0.0;
            if (i < h && p < k)
                v = A[(size_t)(2 * i) * k + p] + A[(size_t)(2 * i + 1) * k + p];
            sa[e] = v;
        }
        for (int e = tid; e < DEPTH * bx; e += count) {
            const int p = k0 + e / bx, j = j0 + e % bx;
            double v = 0.0;
            if (p < k && j < w) {
                const double* pair = B + (size_t)p * n + 2 * j;
                v = pair[0] + pair[1];
            }
            sb[e] = v;
        }
        __syncthreads();
        for (int p = 0; p < DEPTH; ++p)
            sum += sa[threadIdx.y * DEPTH + p] * sb[p * bx + threadIdx.x];
        __syncthreads();
    }

    const int i = i0 + threadIdx.y, j = j0 + threadIdx.x;
    if (i < h && j < w) R[(size_t)i * w + j] = sum;
}

std::vector<double> reduced_product(const std::vector<double>& A, const std::vector<double>& B,
                                    int m, int k, int n)
{
    if (m % 2 || n % 2) throw std::invalid_argument("m and n must be even");
    std::vector<double> R(size_t(m / 2) * (n / 2));
    double *dA, *dB, *dR;
    ok(cudaMalloc(&dA, A.size() * sizeof(double)));
    ok(cudaMalloc(&dB, B.size() * sizeof(double)));
    ok(cudaMalloc(&dR, R.size() * sizeof(double)));
    ok(cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice));
    ok(cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice));

    const dim3 block(32, 8);
    const dim3 grid((n / 2 + block.x - 1) / block.x, (m / 2 + block.y - 1) / block.y);
    const size_t bytes = (block.x + block.y) * DEPTH * sizeof(double);
    reduced_mm<<<grid, block, bytes>>>(dA, dB, dR, m, k, n);
    ok(cudaGetLastError());
    ok(cudaMemcpy(R.data(), dR, R.size() * sizeof(double), cudaMemcpyDeviceToHost));
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return R;
}

int main()
{
    const int m = 102, k = 45, n = 86;
    std::vector<double> A(m * k), B(k * n);
    for (int i = 0; i < m * k; ++i) A[i] = std::sin(0.1 * i);
    for (int i = 0; i < k * n; ++i) B[i] = std::cos(0.2 * i);
    const auto R = reduced_product(A, B, m, k, n);
    double worst = 0.0;
    for (int i = 0; i < m; i += 2)
        for (int j = 0; j < n; j += 2) {
            double s = 0.0;
            for (int d = 0; d < 4; ++d)
                for (int p = 0; p < k; ++p) s += A[(i + d / 2) * k + p] * B[p * n + j + d % 2];
            worst = std::fmax(worst, std::fabs(s - R[(i / 2) * (n / 2) + j / 2]));
        }
    std::printf("largest difference %g\n", worst);
}
