// y = A x, vektori x luetaan vakiomuistista 2048 alkion paloina.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <algorithm>

constexpr int PALA = 2048;
__constant__ float vakio_x[PALA];

// A on sarakkeittain tallennettu (rivit x sarakkeet), joten vierekkäiset säikeet lukevat vierekkäin.
__global__ void matvek_pala(const float *A, float *y, int rivit, int alku, int maara)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rivit) return;
    const float *a = A + (size_t)alku * rivit + r;
    float s0 = 0.f, s1 = 0.f;
    int c = 0;
    for (; c + 1 < maara; c += 2) {
        s0 += a[(size_t)c * rivit] * vakio_x[c];
        s1 += a[(size_t)(c + 1) * rivit] * vakio_x[c + 1];
    }
    if (c < maara) s0 += a[(size_t)c * rivit] * vakio_x[c];
    y[r] = s0 + s1;
}

int main(int argc, char **argv)
{
    const int rivit = argc > 1 ? atoi(argv[1]) : 333;
    const int sarakkeet = argc > 2 ? atoi(argv[2]) : 5001;
    float *A = new float[(size_t)rivit * sarakkeet], *x = new float[sarakkeet], *y = new float[rivit];
    for (int i = 0; i < rivit * sarakkeet; ++i) A[i] = (i % 101 * 37 % 101) / 101.f;
    for (int i = 0; i < sarakkeet; ++i) x[i] = (i % 29 * 13 % 29) / 29.f - 0.4f;

    float *dA, *dy;
    cudaMalloc(&dA, sizeof(float) * rivit * sarakkeet);
    cudaMalloc(&dy, sizeof(float) * rivit);
    cudaMemcpy(dA, A, sizeof(float) * rivit * sarakkeet, cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, sizeof(float) * rivit);

    for (int alku = 0; alku < sarakkeet; alku += PALA) {
        const int maara = std::min(PALA, sarakkeet - alku);
        cudaMemcpyToSymbol(vakio_x, x + alku, maara * sizeof(float));
        matvek_pala<<<(rivit + 127) / 128, 128>>>(dA, dy, rivit, alku, maara);
    }
    cudaMemcpy(y, dy, sizeof(float) * rivit, cudaMemcpyDeviceToHost);

    double ero = 0;
    for (int r = 0; r < rivit; ++r) {
        double s = 0;
        for (int c = 0; c < sarakkeet; ++c) s += (double)A[(size_t)c * rivit + r] * x[c];
        ero = std::max(ero, std::fabs(s - y[r]));
    }
    printf("suurin ero: %g\n", ero);
    return ero > 0.05;
}
