#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

// y = A * x; jeden watek liczy jeden wiersz.
// Fragment wektora x trafia do pamieci wspoldzielonej.
constexpr int WATKI = 256;

__global__ void mnozWektor(const double* A, const double* x, double* y,
                           int wiersze, int kolumny)
{
    __shared__ double xs[WATKI];
    int w = blockIdx.x * WATKI + threadIdx.x;
    double suma = 0.0;

    for (int start = 0; start < kolumny; start += WATKI) {
        int ile = min(WATKI, kolumny - start);
        if (threadIdx.x < ile)
            xs[threadIdx.x] = x[start + threadIdx.x];
        __syncthreads();
        if (w < wiersze)
            for (int j = 0; j < ile; ++j)
                suma += A[(size_t)w * kolumny + start + j] * xs[j];
        __syncthreads();
    }
    if (w < wiersze)
        y[w] = suma;
}

int main()
{
    const int wiersze = 3000, kolumny = 700;
    std::vector<double> A((size_t)wiersze * kolumny), x(kolumny), y(wiersze);
    for (size_t i = 0; i < A.size(); ++i) A[i] = std::sin((double)i);
    for (int j = 0; j < kolumny; ++j) x[j] = 1.0 / (1 + j);

    double *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMalloc(&dy, y.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);

    int bloki = wiersze / WATKI;
    mnozWektor<<<bloki, WATKI>>>(dA, dx, dy, wiersze, kolumny);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        std::printf("blad: %s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(y.data(), dy, y.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double norma = 0.0;
    for (double v : y) norma += v * v;
    std::printf("norma wyniku: %.10f\n", std::sqrt(norma));
    std::printf("y[0] = %f, y[%d] = %f\n", y[0], wiersze - 1, y[wiersze - 1]);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
