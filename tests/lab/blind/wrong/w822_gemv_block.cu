// y = alpha * A * x + beta * y, ein Block je Zeile der Matrix
// A: zeilen x spalten, zeilenweise; blockDim.x ist eine Zweierpotenz
#include <cuda_runtime.h>

__global__ void gemvBlock(double alpha, const double *A, const double *x,
                          double beta, double *y, int spalten)
{
    extern __shared__ double teil[];
    const int t = threadIdx.x;
    const int zeile = blockIdx.x;
    const double *a = A + (size_t)zeile * spalten;

    double s = 0.0;
    for (int j = t; j < spalten; j += blockDim.x)
        s += a[j] * x[j];
    teil[t] = s;

    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        __syncthreads();
        if (t < h)
            teil[t] += teil[t + h];
    }

    if (t < 32)
        y[zeile] = alpha * teil[0] + beta * y[zeile];
}

// Aufruf, z. B. mit 128 Fäden je Block:
//   gemvBlock<<<zeilen, 128, 128 * sizeof(double)>>>(alpha, dA, dx, beta, dy, spalten);
