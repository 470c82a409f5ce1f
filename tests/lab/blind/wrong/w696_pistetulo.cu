// Harjoitus 2: pistetulo atomicAdd-funktiolla ja warp-summalla
#include <cstdio>
#include <vector>
#include <numeric>
#include <cuda_runtime.h>

#define TARKISTA(kutsu)                                                   \
    do {                                                                  \
        cudaError_t v = (kutsu);                                          \
        if (v != cudaSuccess) {                                           \
            std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(v));    \
            return 1;                                                     \
        }                                                                 \
    } while (0)

__global__ void pistetulo(const double *a, const double *b, double *tulos, int n)
{
    double osa = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        osa += a[i] * b[i];

    for (int ero = 16; ero > 0; ero /= 2)
        osa += __shfl_down_sync(0xffffffff, osa, ero);

    if (threadIdx.x % 32 == 0)
        atomicAdd(tulos, osa);
}

int main()
{
    const int n = 123457;
    std::vector<double> a(n), b(n, 0.5);
    std::iota(a.begin(), a.end(), 1.0);

    double *da = nullptr, *db = nullptr, *dtulos = nullptr;
    TARKISTA(cudaMalloc(&da, n * sizeof(double)));
    TARKISTA(cudaMalloc(&db, n * sizeof(double)));
    TARKISTA(cudaMalloc(&dtulos, sizeof(double)));

    TARKISTA(cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    TARKISTA(cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice));

    pistetulo<<<64, 192>>>(da, db, dtulos, n);
    TARKISTA(cudaGetLastError());

    double tulos = 0.0;
    TARKISTA(cudaMemcpy(&tulos, dtulos, sizeof(double), cudaMemcpyDeviceToHost));

    double oikea = 0.25 * n * (n + 1.0);
    std::printf("GPU: %.1f\noikea: %.1f\n", tulos, oikea);

    cudaFree(da);
    cudaFree(db);
    cudaFree(dtulos);
    return 0;
}
