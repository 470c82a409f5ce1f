// Laboratorium 3: jednowymiarowe wygładzanie ważone
//   wy[i] = suma_{d=-3..3} waga[d+3] * we[i+d],   poza tablicą przyjmujemy 0
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define R 3
#define BLOK 256

__constant__ double waga[2 * R + 1];

__global__ void wygladz(const double* we, double* wy, int n)
{
    __shared__ double okno[BLOK + 2 * R];

    int t = threadIdx.x;
    int i = blockIdx.x * BLOK + t;

    okno[t + R] = (i < n) ? we[i] : 0.0;
    if (t < R) {
        int lewy = i - R;
        int prawy = i + BLOK;
        okno[t] = (lewy >= 0 && lewy < n) ? we[lewy] : 0.0;
        okno[t + R + BLOK] = (prawy < n - 1) ? we[prawy] : 0.0;
    }
    __syncthreads();

    if (i < n) {
        double s = 0.0;
        for (int d = 0; d <= 2 * R; ++d)
            s += waga[d] * okno[t + d];
        wy[i] = s;
    }
}

int main(int argc, char** argv)
{
    int n = (argc > 1) ? std::atoi(argv[1]) : 10000;
    if (n < 1 || n > 100000000) {
        std::printf("n musi być z przedziału 1..100000000\n");
        return 1;
    }

    double w[2 * R + 1] = {0.05, 0.10, 0.20, 0.30, 0.18, 0.12, 0.05};
    std::vector<double> we(n), wy(n);
    for (int i = 0; i < n; ++i)
        we[i] = 2.0 + std::cos(0.1 * i) + (i % 5);

    double *dWe, *dWy;
    cudaMalloc(&dWe, n * sizeof(double));
    cudaMalloc(&dWy, n * sizeof(double));
    cudaMemcpyToSymbol(waga, w, sizeof(w));
    cudaMemcpy(dWe, we.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    wygladz<<<(n + BLOK - 1) / BLOK, BLOK>>>(dWe, dWy, n);

    cudaError_t blad = cudaMemcpy(wy.data(), dWy, n * sizeof(double), cudaMemcpyDeviceToHost);
    if (blad != cudaSuccess) {
        std::printf("błąd CUDA: %s\n", cudaGetErrorString(blad));
        return 1;
    }

    int zle = 0;
    for (int i = 0; i < n; ++i) {
        double s = 0.0;
        for (int d = -R; d <= R; ++d)
            if (i + d >= 0 && i + d < n)
                s += w[d + R] * we[i + d];
        if (std::fabs(s - wy[i]) > 1e-9)
            ++zle;
    }
    std::printf("złych elementów: %d\n", zle);

    cudaFree(dWe);
    cudaFree(dWy);
    return zle ? 1 : 0;
}
