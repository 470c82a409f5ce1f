/*
 * Uebung 2, Aufgabe 1: Skalarprodukt zweier Vektoren
 * Jeder Thread laeuft in Gitterschritten ueber die Daten,
 * danach Baumreduktion im Block und ein atomicAdd pro Block.
 */
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const int THREADS = 256;      // muss Zweierpotenz sein

__global__ void skalarprodukt(const float* x, const float* y, float* ergebnis, int n)
{
    __shared__ float teil[THREADS];
    int t = threadIdx.x;

    float s = 0.f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * y[i];
    teil[t] = s;

    for (int h = THREADS / 2; h > 0; h >>= 1) {
        __syncthreads();
        if (t < h)
            teil[t] += teil[t + h];
    }
    // teil[0] hat Thread 0 selbst geschrieben
    if (t == 0)
        atomicAdd(ergebnis, teil[0]);
}

int main()
{
    const int n = 1000003;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0f / (1 + i % 10);
        y[i] = (i % 3) * 0.5f;
    }

    float *dx, *dy, *dr;
    cudaMalloc((void**)&dx, n * sizeof(float));
    cudaMalloc((void**)&dy, n * sizeof(float));
    cudaMalloc((void**)&dr, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(float));

    int bloecke = (n + THREADS - 1) / THREADS;
    if (bloecke > 120) bloecke = 120;
    skalarprodukt<<<bloecke, THREADS>>>(dx, dy, dr, n);

    float r;
    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);

    double ref = 0;
    for (int i = 0; i < n; ++i) ref += (double)x[i] * y[i];
    printf("GPU %f   CPU %f\n", r, ref);

    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    return 0;
}
