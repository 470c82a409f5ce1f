// y = A x in doppelter Genauigkeit. Ein Warp rechnet eine Zeile.
#include <cuda_runtime.h>
#include <cmath>
#include <iostream>
#include <vector>

constexpr int kWarp = 32;
constexpr int kWarpsProBlock = 8;

__device__ double warpSumme(double v)
{
    for (int abstand = kWarp / 2; abstand > 0; abstand /= 2)
        v += __shfl_down_sync(0xffffffffu, v, abstand);
    return v;          // gueltig nur in Lane 0
}

__global__ void matVek(const double* __restrict__ A, const double* __restrict__ x,
                       double* __restrict__ y, int zeilen, int spalten)
{
    const int lane  = threadIdx.x;
    const int zeile = blockIdx.x * kWarpsProBlock + threadIdx.y;
    if (zeile >= zeilen) return;       // gilt fuer den ganzen Warp, blockDim.x == 32

    const double* a = A + static_cast<size_t>(zeile) * spalten;
    double summe = 0.0;
    for (int j = lane; j < spalten; j += kWarp)
        summe += a[j] * x[j];

    summe = warpSumme(summe);
    if (lane == 0) y[zeile] = summe;
}

int main()
{
    const int zeilen = 1003, spalten = 517;
    std::vector<double> A(static_cast<size_t>(zeilen) * spalten), x(spalten), y(zeilen);
    for (size_t i = 0; i < A.size(); ++i) A[i] = std::sin(0.01 * static_cast<double>(i));
    for (int j = 0; j < spalten; ++j) x[j] = 1.0 / (1 + j);

    double *dA = nullptr, *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMalloc(&dy, y.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);

    const dim3 block(kWarp, kWarpsProBlock);
    const int bloecke = (zeilen + kWarpsProBlock - 1) / kWarpsProBlock;
    matVek<<<bloecke, block>>>(dA, dx, dy, zeilen, spalten);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double fehler = 0.0;
    for (int i = 0; i < zeilen; ++i) {
        double s = 0.0;
        for (int j = 0; j < spalten; ++j) s += A[static_cast<size_t>(i) * spalten + j] * x[j];
        fehler = std::max(fehler, std::fabs(s - y[i]));
    }
    std::cout << "groesster Fehler: " << fehler << '\n';
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return fehler < 1e-10 ? 0 : 1;
}
