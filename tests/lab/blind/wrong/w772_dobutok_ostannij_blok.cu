// Laboratorna 4: skalyarnyj dobutok, chastkovi sumy dodaje ostannij blok
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int NYTKY = 256;

__device__ unsigned int gotovo = 0;    // skilky blokiv uzhe zapysaly svoju sumu

__device__ double suma_bloku(double *pole, double v)
{
    const int t = threadIdx.x;
    pole[t] = v;
    __syncthreads();
    for (int k = NYTKY / 2; k >= 1; k >>= 1) {
        if (t < k)
            pole[t] += pole[t + k];
        __syncthreads();
    }
    return pole[0];
}

__global__ void dobutok(const double *a, const double *b, size_t n,
                        volatile double *chastky, double *vidpovid)
{
    __shared__ double pole[NYTKY];
    __shared__ bool ostannij;

    double v = 0.0;
    for (size_t i = blockIdx.x * (size_t)NYTKY + threadIdx.x; i < n; i += (size_t)gridDim.x * NYTKY)
        v += a[i] * b[i];
    const double s = suma_bloku(pole, v);

    if (threadIdx.x == 0) {
        chastky[blockIdx.x] = s;
        __threadfence();
        ostannij = (atomicAdd(&gotovo, 1u) == gridDim.x - 1);
    }
    __syncthreads();

    if (ostannij) {
        __threadfence();
        double w = 0.0;
        if (threadIdx.x < gridDim.x)
            w = chastky[threadIdx.x];
        const double razom = suma_bloku(pole, w);
        if (threadIdx.x == 0) {
            *vidpovid = razom;
            gotovo = 0;                // dlya nastupnogo zapusku
        }
    }
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 5000000;
    const int bloky = argc > 2 ? atoi(argv[2]) : 264;

    std::vector<double> a(n), b(n);
    double tochno = 0.0;
    for (size_t i = 0; i < n; ++i) {
        a[i] = std::sin(double(i));
        b[i] = 1.0 / (1.0 + double(i % 1000)) + a[i];
        tochno += a[i] * b[i];
    }

    double *da, *db, *dch, *dv;
    cudaMalloc(&da, n * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dch, bloky * sizeof(double));
    cudaMalloc(&dv, sizeof(double));
    cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    bool dobre = true;
    for (int raz = 0; raz < 3; ++raz) {
        double v = 0.0;
        dobutok<<<bloky, NYTKY>>>(da, db, n, dch, dv);
        const cudaError_t e = cudaMemcpy(&v, dv, sizeof(double), cudaMemcpyDeviceToHost);
        if (e != cudaSuccess) {
            std::printf("pomylka: %s\n", cudaGetErrorString(e));
            return 1;
        }
        const double rizn = std::fabs(v - tochno) / std::fmax(1.0, std::fabs(tochno));
        std::printf("zapusk %d: %.10g (tochno %.10g)\n", raz, v, tochno);
        dobre = dobre && rizn < 1e-9;
    }
    std::puts(dobre ? "OK" : "NE OK");

    cudaFree(da); cudaFree(db); cudaFree(dch); cudaFree(dv);
    return dobre ? 0 : 1;
}
