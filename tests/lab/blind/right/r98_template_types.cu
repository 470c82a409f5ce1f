#include <cstdio>
#include <cstdlib>
#include <cmath>

template <typename T, int TILE>
__global__ void tiledMul(const T* lhs, const T* rhs, T* out, int n)
{
    __shared__ T tileL[TILE][TILE + 1];
    __shared__ T tileR[TILE][TILE + 1];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    T acc = T(0);

    for (int m = 0; m < (n + TILE - 1) / TILE; ++m) {
        int lc = m * TILE + threadIdx.x;
        int rr = m * TILE + threadIdx.y;
        tileL[threadIdx.y][threadIdx.x] = (row < n && lc < n) ? lhs[row * n + lc] : T(0);
        tileR[threadIdx.y][threadIdx.x] = (rr < n && col < n) ? rhs[rr * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k)
            acc += tileL[threadIdx.y][k] * tileR[k][threadIdx.x];
        __syncthreads();
    }

    if (row < n && col < n)
        out[row * n + col] = acc;
}

template <typename T, int TILE>
bool test(int n)
{
    size_t count = (size_t)n * n;
    T *a = new T[count], *b = new T[count], *c = new T[count];
    for (size_t i = 0; i < count; ++i) {
        a[i] = T(rand() % 21 - 10);
        b[i] = T(rand() % 21 - 10);
    }
    T *da, *db, *dc;
    cudaMalloc(&da, count * sizeof(T));
    cudaMalloc(&db, count * sizeof(T));
    cudaMalloc(&dc, count * sizeof(T));
    cudaMemcpy(da, a, count * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, count * sizeof(T), cudaMemcpyHostToDevice);

    dim3 threads(TILE, TILE);
    dim3 blocks((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    tiledMul<T, TILE><<<blocks, threads>>>(da, db, dc, n);
    cudaMemcpy(c, dc, count * sizeof(T), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < n && ok; ++i)
        for (int j = 0; j < n && ok; ++j) {
            T s = T(0);
            for (int k = 0; k < n; ++k) s += a[i * n + k] * b[k * n + j];
            if (fabs((double)s - (double)c[i * n + j]) > 1e-6) ok = false;
        }
    cudaFree(da); cudaFree(db); cudaFree(dc);
    delete[] a; delete[] b; delete[] c;
    return ok;
}

int main()
{
    bool ok = true;
    ok &= test<float, 16>(100);
    ok &= test<float, 8>(64);
    ok &= test<double, 16>(57);
    ok &= test<int, 32>(70);
    printf("%s\n", ok ? "OK" : "NOT OK");
    return ok ? 0 : 1;
}
