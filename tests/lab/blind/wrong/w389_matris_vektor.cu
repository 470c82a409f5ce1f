// y = A * x, där A är rader x kolumner (radvis). En tråd per rad; x läses i
// bitar till delat minne. rader >= BLOCK, kolumner >= 1.
#include <cuda_runtime.h>
#include <cstdlib>
#include <iostream>
#include <vector>

constexpr int BLOCK = 96;

__global__ void matrisVektor(const double *A, const double *x, double *y,
                             int rader, int kolumner)
{
    __shared__ double bit[BLOCK];
    const int rad = blockIdx.x * BLOCK + threadIdx.x;
    double summa = 0.0;

    for (int k0 = 0; k0 < kolumner; k0 += BLOCK) {
        const int antal = min(BLOCK, kolumner - k0);
        if (threadIdx.x < antal)
            bit[threadIdx.x] = x[k0 + threadIdx.x];
        __syncthreads();

        if (rad < rader)
            for (int k = 0; k < antal; ++k)
                summa += A[(size_t)rad * kolumner + k0 + k] * bit[k];
        __syncthreads();
    }

    if (rad < rader)
        y[rad] = summa;
}

static bool lyckades(cudaError_t kod)
{
    if (kod != cudaSuccess)
        std::cerr << cudaGetErrorString(kod) << '\n';
    return kod == cudaSuccess;
}

int main(int argc, char **argv)
{
    const int rader = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int kolumner = argc > 2 ? std::atoi(argv[2]) : 333;
    if (rader < BLOCK || kolumner < 1) {
        std::cerr << "minst " << BLOCK << " rader och en kolumn\n";
        return 2;
    }

    const size_t antal = (size_t)rader * kolumner;
    std::vector<double> A(antal), x(kolumner), y(rader);
    for (size_t i = 0; i < antal; ++i) A[i] = 1.0 / (1 + i % 29);
    for (int i = 0; i < kolumner; ++i) x[i] = 1.0 + i % 4;

    double *dA = nullptr, *dx = nullptr, *dy = nullptr;
    if (!lyckades(cudaMalloc(&dA, antal * sizeof(double))) ||
        !lyckades(cudaMalloc(&dx, kolumner * sizeof(double))) ||
        !lyckades(cudaMalloc(&dy, rader * sizeof(double))))
        return 1;
    cudaMemcpy(dA, A.data(), antal * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), kolumner * sizeof(double), cudaMemcpyHostToDevice);

    const int block = rader / BLOCK;
    matrisVektor<<<block, BLOCK>>>(dA, dx, dy, rader, kolumner);
    if (!lyckades(cudaGetLastError()) ||
        !lyckades(cudaMemcpy(y.data(), dy, rader * sizeof(double), cudaMemcpyDeviceToHost)))
        return 1;

    int fel = 0;
    for (int r = 0; r < rader; ++r) {
        double s = 0.0;
        for (int k = 0; k < kolumner; ++k)
            s += A[(size_t)r * kolumner + k] * x[k];
        if (!(std::abs(s - y[r]) < 1e-9 * s))
            ++fel;
    }
    std::cout << "felaktiga rader: " << fel << '\n';
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return fel ? 1 : 0;
}
