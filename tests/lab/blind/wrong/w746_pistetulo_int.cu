// Harjoitus 2: kokonaislukuvektorien pistetulo
// Alkiot ovat valilla -1000000 ... 1000000 ja tulos on 64-bittinen.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int SAIKEITA = 256;

#define TARKISTA(k) do { cudaError_t v = (k); if (v != cudaSuccess) { \
        printf("virhe rivilla %d: %s\n", __LINE__, cudaGetErrorString(v)); \
        return EXIT_FAILURE; } } while (0)

__global__ void pistetulo(const int *x, const int *y, int n, unsigned long long *tulos)
{
    __shared__ long long osat[SAIKEITA];

    int t = threadIdx.x;
    long long summa = 0;

    for (long long i = (long long)blockIdx.x * blockDim.x + t; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        summa += x[i] * y[i];
    }

    osat[t] = summa;
    __syncthreads();

    for (int puolet = SAIKEITA / 2; puolet >= 1; puolet /= 2) {
        if (t < puolet)
            osat[t] += osat[t + puolet];
        __syncthreads();
    }

    // kahden komplementti: etumerkiton yhteenlasku kay myos negatiivisille
    if (t == 0)
        atomicAdd(tulos, (unsigned long long)osat[0]);
}

int main()
{
    const int n = 400000;
    std::vector<int> x(n), y(n);
    srand(7);
    for (int i = 0; i < n; ++i) {
        x[i] = rand() % 2000001 - 1000000;
        y[i] = rand() % 2000001 - 1000000;
    }

    long long odotettu = 0;
    for (int i = 0; i < n; ++i)
        odotettu += (long long)x[i] * y[i];

    int *dx, *dy;
    unsigned long long *dt;
    TARKISTA(cudaMalloc(&dx, n * sizeof(int)));
    TARKISTA(cudaMalloc(&dy, n * sizeof(int)));
    TARKISTA(cudaMalloc(&dt, sizeof(*dt)));
    TARKISTA(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    TARKISTA(cudaMemcpy(dy, y.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    TARKISTA(cudaMemset(dt, 0, sizeof(*dt)));

    pistetulo<<<80, SAIKEITA>>>(dx, dy, n, dt);
    TARKISTA(cudaGetLastError());

    long long saatu = 0;
    TARKISTA(cudaMemcpy(&saatu, dt, sizeof(saatu), cudaMemcpyDeviceToHost));
    printf("GPU: %lld\nCPU: %lld\n%s\n", saatu, odotettu,
           saatu == odotettu ? "oikein" : "vaarin");

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dt);
    return saatu == odotettu ? EXIT_SUCCESS : EXIT_FAILURE;
}
