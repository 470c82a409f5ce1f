#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define THREADS 256

__global__ void skalarprodukt(const float *x, const float *y, float *teilsummen, int n)
{
    __shared__ float puffer[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    puffer[t] = (i < n) ? x[i] * y[i] : 0.0f;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s)
            puffer[t] += puffer[t + s];
        __syncthreads();
    }
    if (t == 0)
        teilsummen[blockIdx.x] = puffer[0];
}

int main()
{
    const int n = 10007;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) { x[i] = 0.5f; y[i] = 2.0f; }
    int bloecke = (n + THREADS - 1) / THREADS;
    std::vector<float> teil(bloecke);

    float *dx, *dy, *dt;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dt, bloecke * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    skalarprodukt<<<bloecke, THREADS>>>(dx, dy, dt, n);
    cudaMemcpy(teil.data(), dt, bloecke * sizeof(float), cudaMemcpyDeviceToHost);

    double summe = 0.0;
    for (float f : teil) summe += f;
    printf("Ergebnis %f, erwartet %d\n", summe, n);
    cudaFree(dx); cudaFree(dy); cudaFree(dt);
    return 0;
}
