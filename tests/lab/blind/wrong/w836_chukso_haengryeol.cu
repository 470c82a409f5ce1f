// 축소 행렬곱: C[i][j] = (A*B)의 (2i,2j), (2i,2j+1), (2i+1,2j), (2i+1,2j+1) 네 원소의 합
// A: 2*haeng x k, B: k x 2*yeol, C: haeng x yeol (행 우선), 크기는 1 ~ 10000
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define BX 32
#define BY 8
#define KT 32

__global__ void chukso(const double* A, const double* B, double* C, int haeng, int yeol, int k)
{
    __shared__ double ha[BY][KT];
    __shared__ double yb[KT][BX];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * BY + y;
    const int j = blockIdx.x * BX + x;
    double hap = 0.0;

    for (int k0 = 0; k0 < k; k0 += KT) {
        const double* a = A + (size_t)2 * i * k + k0 + x;
        ha[y][x] = (i < haeng && k0 + x < k) ? a[0] + a[k] : 0.0;
        for (int q = y; q < KT; q += BY) {
            const double* b = B + (size_t)(k0 + q) * 2 * yeol + 2 * j;
            yb[q][x] = (k0 + q < k && j < yeol) ? b[0] + b[1] : 0.0;
        }
        __syncthreads();
        for (int q = 0; q < KT; ++q) hap += ha[y][q] * yb[q][x];
        __syncthreads();
    }
    if (i < haeng && j < yeol) C[(size_t)i * yeol + j] = hap;
}

static int nanum(int a, int b) { return (a + b - 1) / b; }

int main()
{
    const int haeng = 40, yeol = 600, k = 77;
    std::vector<double> A(2 * haeng * k), B(2 * yeol * k), C(haeng * yeol);
    for (size_t i = 0; i < A.size(); ++i) A[i] = int(i % 7) - 3;
    for (size_t i = 0; i < B.size(); ++i) B[i] = int(i % 5) - 2;
    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    const dim3 block(BX, BY);
    const dim3 grid(nanum(haeng, BY), nanum(yeol, BX));
    chukso<<<grid, block>>>(dA, dB, dC, haeng, yeol, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    int teullim = 0;
    for (int i = 0; i < haeng; ++i)
        for (int j = 0; j < yeol; ++j) {
            double s = 0.0;
            for (int q = 0; q < k; ++q)
                s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) * (B[q * 2 * yeol + 2 * j] + B[q * 2 * yeol + 2 * j + 1]);
            if (s != C[i * yeol + j]) ++teullim;
        }
    printf("틀린 원소 수: %d\n", teullim);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
