// Matrixprodukt C = A * B, alles zeilenweise abgelegt.
// A: m x k, B: k x n, C: m x n; jedes Mass von 1 bis 16384, sonst beliebig.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Masse { int m, n, k; };

template <typename T, int KANTE>
__global__ void produkt(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, Masse d)
{
    __shared__ T as[KANTE][KANTE + 1];
    __shared__ T bs[KANTE][KANTE + 1];

    const int sp = threadIdx.x, ze = threadIdx.y;
    const int spalte = blockIdx.x * KANTE + sp;
    const int zeile  = blockIdx.y * KANTE + ze;

    const T* pa = A + (size_t)zeile * d.k + sp;
    const T* pb = B + (size_t)ze * d.n + spalte;
    T summe = T(0);

    for (int k0 = 0; k0 + KANTE <= d.k; k0 += KANTE) {
        const int rest = d.k - k0;
        as[ze][sp] = (zeile < d.m && sp < rest) ? *pa : T(0);
        bs[ze][sp] = (spalte < d.n && ze < rest) ? *pb : T(0);
        __syncthreads();
        #pragma unroll
        for (int q = 0; q < KANTE; ++q)
            summe += as[ze][q] * bs[q][sp];
        __syncthreads();
        pa += KANTE;
        pb += (size_t)KANTE * d.n;
    }

    if (zeile < d.m && spalte < d.n)
        C[(size_t)zeile * d.n + spalte] = summe;
}

int main()
{
    const Masse d{130, 77, 301};
    std::vector<double> a(d.m * d.k), b(d.k * d.n), c(d.m * d.n);
    for (size_t i = 0; i < a.size(); ++i) a[i] = (i % 13) * 0.25;
    for (size_t i = 0; i < b.size(); ++i) b[i] = (i % 7) - 3.0;

    double *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(double));
    cudaMalloc(&db, b.size() * sizeof(double));
    cudaMalloc(&dc, c.size() * sizeof(double));
    cudaMemcpy(da, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);

    constexpr int K = 16;
    const dim3 block(K, K), gitter((d.n + K - 1) / K, (d.m + K - 1) / K);
    produkt<double, K><<<gitter, block>>>(da, db, dc, d);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double fehler = 0;
    for (int i = 0; i < d.m; ++i)
        for (int j = 0; j < d.n; ++j) {
            double soll = 0;
            for (int q = 0; q < d.k; ++q) soll += a[i * d.k + q] * b[q * d.n + j];
            fehler = std::fmax(fehler, std::fabs(soll - c[i * d.n + j]));
        }
    std::printf("groesste Abweichung: %g\n", fehler);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
