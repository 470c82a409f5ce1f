// Strided batch of matrix products, templated on type and tile size.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

struct Shape { int batch, m, n, k; };

template <typename T, int TS>
__global__ void bmm(const T* A, const T* B, T* C, Shape s)
{
    __shared__ T tA[TS][TS];
    __shared__ T tB[TS][TS];

    const size_t z = blockIdx.z;
    A += z * s.m * s.k;
    B += z * s.k * s.n;
    C += z * s.m * s.n;

    const int r = blockIdx.y * TS + threadIdx.y;
    const int c = blockIdx.x * TS + threadIdx.x;

    T acc = T(0);
    for (int p = 0; p < s.k; p += TS)
    {
        const int pa = p + threadIdx.x;
        const int pb = p + threadIdx.y;
        tA[threadIdx.y][threadIdx.x] = (r < s.m && pa < s.k) ? A[(size_t)r * s.k + pa] : T(0);
        tB[threadIdx.y][threadIdx.x] = (pb < s.k && c < s.n) ? B[(size_t)pb * s.n + c] : T(0);
        __syncthreads();
        #pragma unroll
        for (int q = 0; q < TS; ++q)
            acc += tA[threadIdx.y][q] * tB[q][threadIdx.x];
        __syncthreads();
    }
    if (r < s.m && c < s.n)
        C[(size_t)r * s.n + c] = acc;
}

template <typename T, int TS>
double maxError(Shape s)
{
    const size_t na = (size_t)s.batch * s.m * s.k;
    const size_t nb = (size_t)s.batch * s.k * s.n;
    const size_t nc = (size_t)s.batch * s.m * s.n;
    std::vector<T> a(na), b(nb), c(nc);
    for (auto& v : a) v = T(rand() % 200 - 100) / T(50);
    for (auto& v : b) v = T(rand() % 200 - 100) / T(50);

    T *da, *db, *dc;
    cudaMalloc(&da, na * sizeof(T));
    cudaMalloc(&db, nb * sizeof(T));
    cudaMalloc(&dc, nc * sizeof(T));
    cudaMemcpy(da, a.data(), na * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), nb * sizeof(T), cudaMemcpyHostToDevice);

    dim3 block(TS, TS);
    dim3 grid((s.n + TS - 1) / TS, (s.m + TS - 1) / TS, s.batch);   // batch <= 65535
    bmm<T, TS><<<grid, block>>>(da, db, dc, s);
    if (cudaGetLastError() != cudaSuccess) return 1e30;
    cudaMemcpy(c.data(), dc, nc * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dc);

    double worst = 0;
    for (int z = 0; z < s.batch; ++z)
        for (int i = 0; i < s.m; ++i)
            for (int j = 0; j < s.n; ++j) {
                double ref = 0;
                for (int q = 0; q < s.k; ++q)
                    ref += double(a[((size_t)z * s.m + i) * s.k + q]) * double(b[((size_t)z * s.k + q) * s.n + j]);
                worst = fmax(worst, fabs(ref - double(c[((size_t)z * s.m + i) * s.n + j])));
            }
    return worst;
}

int main()
{
    const Shape shapes[] = { {1, 16, 16, 16}, {7, 20, 35, 11}, {100, 3, 5, 40}, {4, 64, 48, 100} };
    for (const Shape& s : shapes) {
        printf("batch %d, %dx%dx%d: float/16 %.2e  double/8 %.2e\n", s.batch, s.m, s.n, s.k,
               maxError<float, 16>(s), maxError<double, 8>(s));
    }
}
