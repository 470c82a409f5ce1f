// y = A^T * x por matrico A kun m vicoj kaj n kolumnoj (vico post vico).
// Unu fadeno po kolumno de A; la vicojn ni prenas kvarope, la reston unuope.
// m kaj n: de 1 ĝis 40000.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <typename T>
__global__ void transponita(const T* __restrict__ A, const T* __restrict__ x, T* __restrict__ y, int m, int n)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;

    const size_t v = n;             // paŝo al la sekva vico
    const T* p = A + k;
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;

    int r = 0;
    for (; r + 4 <= m; r += 4) {
        s0 += x[r] * p[0];
        s1 += x[r + 1] * p[v];
        s2 += x[r + 2] * p[2 * v];
        s3 += x[r + 2] * p[3 * v];
        p += 4 * v;
    }
    for (; r < m; ++r) {
        s0 += x[r] * *p;
        p += v;
    }
    y[k] = (s0 + s1) + (s2 + s3);
}

int main()
{
    const int m = 1026, n = 733;
    std::vector<long long> A(m * n), x(m), y(n);
    for (int i = 0; i < m * n; ++i) A[i] = i % 23 - 11;
    for (int i = 0; i < m; ++i) x[i] = i % 8;

    long long *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(long long));
    cudaMalloc(&dx, x.size() * sizeof(long long));
    cudaMalloc(&dy, y.size() * sizeof(long long));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(long long), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(long long), cudaMemcpyHostToDevice);

    const int fadenoj = 192;
    transponita<<<(n + fadenoj - 1) / fadenoj, fadenoj>>>(dA, dx, dy, m, n);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(long long), cudaMemcpyDeviceToHost);

    int eraroj = 0;
    for (int k = 0; k < n; ++k) {
        long long s = 0;
        for (int r = 0; r < m; ++r) s += A[r * n + k] * x[r];
        eraroj += s != y[k];
    }
    std::printf("eraroj: %d\n", eraroj);
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
