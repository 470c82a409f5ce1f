// İndirgenmiş matris çarpımı, üç adımda (double, birleşik bellek):
//   1) A'nın satır çiftlerini topla  -> SA (m x k)
//   2) B'nin sütun çiftlerini topla  -> SB (k x n)
//   3) C = SA * SB                   -> C  (m x n)
// A: 2m x k, B: k x 2n
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define KONTROL(x) kontrol((x), __LINE__)
static void kontrol(cudaError_t h, int satir)
{
    if (h == cudaSuccess) return;
    fprintf(stderr, "satir %d: %s\n", satir, cudaGetErrorString(h));
    exit(1);
}

constexpr int D = 16;

__global__ void satirTopla(const double* A, double* SA, int m, int k)
{
    const size_t adet = size_t(m) * k;
    for (size_t p = size_t(blockIdx.x) * blockDim.x + threadIdx.x; p < adet;
         p += size_t(gridDim.x) * blockDim.x) {
        const size_t i = p / k, c = p % k;
        SA[p] = A[2 * i * k + c] + A[(2 * i + 1) * k + c];
    }
}

__global__ void sutunTopla(const double* B, double* SB, int k, int n)
{
    const size_t adet = size_t(k) * n;
    for (size_t p = size_t(blockIdx.x) * blockDim.x + threadIdx.x; p < adet;
         p += size_t(gridDim.x) * blockDim.x)
        SB[p] = B[2 * p] + B[2 * p + 1];   // satır uzunluğu 2n olduğundan indis doğrudan 2p
}

__global__ void carp(const double* SA, const double* SB, double* C, int m, int n, int k)
{
    __shared__ double sa[D][D + 1], sb[D][D + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * D + ty, j = blockIdx.x * D + tx;
    double t = 0.0;
    for (int k0 = 0; k0 < k; k0 += D) {
        sa[ty][tx] = (i < m && k0 + tx < k) ? SA[size_t(i) * k + k0 + tx] : 0.0;
        sb[ty][tx] = (j < n && k0 + ty < k) ? SB[size_t(k0 + ty) * n + j] : 0.0;
        __syncthreads();
        for (int q = 0; q < D; ++q) t += sa[ty][q] * sb[q][tx];
        __syncthreads();
    }
    if (i < m && j < n) C[size_t(i) * n + j] = t;
}

int main()
{
    const int m = 70, n = 45, k = 33;
    double *A, *B, *C, *SA, *SB;
    KONTROL(cudaMallocManaged(&A, sizeof(double) * 2 * m * k));
    KONTROL(cudaMallocManaged(&B, sizeof(double) * k * 2 * n));
    KONTROL(cudaMallocManaged(&C, sizeof(double) * m * n));
    KONTROL(cudaMalloc(&SA, sizeof(double) * m * k));
    KONTROL(cudaMalloc(&SB, sizeof(double) * k * n));
    for (int p = 0; p < 2 * m * k; ++p) A[p] = std::sin(0.1 * p);
    for (int p = 0; p < k * 2 * n; ++p) B[p] = std::cos(0.2 * p);

    satirTopla<<<(m * k + 255) / 256, 256>>>(A, SA, m, k);
    sutunTopla<<<(k * n + 255) / 256, 256>>>(B, SB, k, n);
    carp<<<dim3((n + D - 1) / D, (m + D - 1) / D), dim3(D, D)>>>(SA, SB, C, m, n, k);
    KONTROL(cudaGetLastError());
    KONTROL(cudaDeviceSynchronize());

    auto tam = [&](int r, int c) {      // (A*B)[r][c], işlemcide
        double t = 0.0;
        for (int q = 0; q < k; ++q) t += A[r * k + q] * B[q * 2 * n + c];
        return t;
    };
    double fark = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            const double beklenen = tam(2 * i, 2 * j) + tam(2 * i, 2 * j + 1) +
                                    tam(2 * i + 1, 2 * j) + tam(2 * i + 1, 2 * j + 1);
            fark = std::fmax(fark, std::fabs(beklenen - C[i * n + j]));
        }
    printf("en buyuk fark: %g\n", fark);

    for (double* q : {A, B, C, SA, SB}) KONTROL(cudaFree(q));
    return fark < 1e-9 ? 0 : 1;
}
