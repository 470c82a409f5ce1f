// Labb 2: skalärprodukt. Delsummorna läggs ihop på värddatorn.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void skalar(const float* a, const float* b, float* delsumma, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();

    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }

    if (t == 0)
        delsumma[blockIdx.x] = s[0];
}

int main()
{
    const int n = 100000;
    const int trad = 192;                       // sex warpar per block
    const int block = (n + trad - 1) / trad;
    std::vector<float> a(n), b(n), d(block);
    double facit = 0;
    for (int i = 0; i < n; i++) {
        a[i] = 1.0f + (i % 3);
        b[i] = 0.5f * (i % 4);
        facit += a[i] * b[i];
    }

    float *da, *db, *dd;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dd, block * sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    skalar<<<block, trad, trad * sizeof(float)>>>(da, db, dd, n);
    cudaMemcpy(d.data(), dd, block * sizeof(float), cudaMemcpyDeviceToHost);

    double svar = 0;
    for (float v : d) svar += v;
    printf("svar %.2f facit %.2f %s\n", svar, facit, fabs(svar - facit) < 1e-3 * facit ? "ok" : "fel");
    cudaFree(da); cudaFree(db); cudaFree(dd);
}
