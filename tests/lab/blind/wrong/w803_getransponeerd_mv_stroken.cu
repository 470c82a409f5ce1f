// y = A^T * x met A: m rijen, n kolommen (rij voor rij opgeslagen), dus x heeft m en y heeft n elementen.
// Elk blok neemt een strook van STROOK rijen en KOL kolommen en telt zijn bijdrage bij y op.
// 1 <= m, n <= 100000 zolang alles in het geheugen past.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int KOL = 128, STROOK = 64;

__global__ void mvTrans(const float* __restrict__ A, const float* __restrict__ x, float* y, int m, int n)
{
    __shared__ float xs[STROOK];
    const int kolom = blockIdx.x * KOL + threadIdx.x;
    const int r0 = blockIdx.y * STROOK;
    const int rijen = min(STROOK, m - r0);

    if (threadIdx.x < rijen) xs[threadIdx.x] = x[r0 + threadIdx.x];
    __syncthreads();
    if (kolom >= n) return;

    float s = 0.0f;
    const float* p = A + (size_t)r0 * n + kolom;
    for (int i = 0; i < rijen; ++i, p += n)
        s += *p * xs[i];
    atomicAdd(y + kolom, s);
}

// y hoeft vooraf niets zinnigs te bevatten
void vermenigvuldig(const float* A, const float* x, float* y, int m, int n)
{
    const dim3 rooster((n + KOL - 1) / KOL, (m + STROOK - 1) / STROOK);
    cudaMemset(y, 0, m * sizeof(float));
    mvTrans<<<rooster, KOL>>>(A, x, y, m, n);
}

int main()
{
    const int m = 700, n = 3001;
    std::vector<float> A((size_t)m * n), x(m), y(n, -1.0f);
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.125f * (i % 9);
    for (int i = 0; i < m; ++i) x[i] = i % 4 - 1.5f;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), y.size() * sizeof(float), cudaMemcpyHostToDevice);

    vermenigvuldig(dA, dx, dy, m, n);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float ergst = 0.0f;
    for (int j = 0; j < n; ++j) {
        double s = 0.0;
        for (int i = 0; i < m; ++i) s += double(A[(size_t)i * n + j]) * x[i];
        ergst = std::fmax(ergst, std::fabs(y[j] - (float)s));
    }
    printf("grootste verschil %g\n", ergst);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return 0;
}
