// Laboration 5: skalärprodukt med EN kernel. Det block som blir klart sist
// lägger ihop alla delsummor. Managed memory för enkelhets skull.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>

#define TRADAR 128
#define MAX_BLOCK 200

__device__ unsigned int antalKlara = 0;

// Summan över hela blocket, rätt värde bara i tråd 0.
__device__ float blockSumma(float v)
{
    __shared__ float perWarp[TRADAR / 32];
    for (int d = 16; d >= 1; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        perWarp[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v = 0.0f;
        for (int w = 0; w < TRADAR / 32; w++)
            v += perWarp[w];
    }
    __syncthreads();      // perWarp får återanvändas efter detta
    return v;
}

__global__ void skalarprodukt(const float *x, const float *y, int n,
                              volatile float *delsumma, float *svar)
{
    __shared__ bool sist;

    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += x[i] * y[i];
    s = blockSumma(s);

    if (threadIdx.x == 0) {
        delsumma[blockIdx.x] = s;
        __threadfence();                              // först delsumman, sedan räknaren
        unsigned int nr = atomicInc(&antalKlara, gridDim.x - 1);  // går runt till 0 igen
        sist = (nr == gridDim.x - 1);
    }
    __syncthreads();

    if (sist) {           // samma värde för alla trådar i blocket
        __threadfence();
        float t = 0.0f;
        for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            t += delsumma[b];
        t = blockSumma(t);
        if (threadIdx.x == 0)
            *svar = t;
    }
}

int main()
{
    const int storlekar[] = {1, 31, 128, 129, 5000, 25600, 1000003};
    float *delsumma, *svar;
    cudaMallocManaged(&delsumma, MAX_BLOCK * sizeof(float));
    cudaMallocManaged(&svar, sizeof(float));

    int fel = 0;
    for (int n : storlekar) {
        float *x, *y;
        cudaMallocManaged(&x, n * sizeof(float));
        cudaMallocManaged(&y, n * sizeof(float));
        double facit = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = 0.001f * (i % 1000);
            y[i] = 1.0f / (1 + i % 10);
            facit += (double)x[i] * y[i];
        }

        int block = (n + TRADAR - 1) / TRADAR;
        if (block > MAX_BLOCK) block = MAX_BLOCK;
        skalarprodukt<<<block, TRADAR>>>(x, y, n, delsumma, svar);
        cudaDeviceSynchronize();

        bool ok = std::fabs(*svar - facit) <= 1e-4 * facit + 1e-5;
        std::printf("n = %d: %g (facit %g) %s\n", n, *svar, facit, ok ? "rätt" : "FEL");
        if (!ok) fel++;
        cudaFree(x);
        cudaFree(y);
    }
    cudaFree(delsumma);
    cudaFree(svar);
    return fel;
}
