// Laboration 1: viktat glidande medelvärde (1D-stencil)
#include <cstdio>
#include <cmath>
#include <cstdlib>

#define RADIE 4
#define BLOCK 256

__constant__ float vikt[2 * RADIE + 1];

__global__ void glidande(const float *in, float *ut, int n)
{
    __shared__ float s[BLOCK + 2 * RADIE];
    int g = blockIdx.x * BLOCK + threadIdx.x;
    int l = threadIdx.x + RADIE;

    s[l] = g < n ? in[g] : 0.0f;
    if (threadIdx.x < RADIE) {
        int v = g - RADIE;
        int h = g + BLOCK;
        s[l - RADIE] = v >= 0 ? (v < n ? in[v] : 0.0f) : 0.0f;
        s[l + BLOCK] = h < n ? in[h] : 0.0f;
    }
    __syncthreads();

    if (g < n) {
        float summa = 0.0f;
        for (int d = -RADIE; d <= RADIE; d++)
            summa += vikt[d + RADIE] * s[l + d];
        ut[g] = summa;
    }
}

#define TEST(x) { cudaError_t e = x; if (e != cudaSuccess) { printf("fel: %s\n", cudaGetErrorString(e)); return 1; } }

int main()
{
    const int n = 5000;
    float w[2 * RADIE + 1];
    for (int i = 0; i <= 2 * RADIE; i++)
        w[i] = 1.0f / (1.0f + abs(i - RADIE));

    float *in, *ut;
    TEST(cudaMallocManaged(&in, n * sizeof(float)));
    TEST(cudaMallocManaged(&ut, n * sizeof(float)));
    for (int i = 0; i < n; i++) in[i] = sinf(0.05f * i);
    TEST(cudaMemcpyToSymbol(vikt, w, sizeof(w)));

    glidande<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, ut, n);
    TEST(cudaGetLastError());
    TEST(cudaDeviceSynchronize());

    float storst = 0;
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int d = -RADIE; d <= RADIE; d++)
            if (i + d >= 0 && i + d < n) s += w[d + RADIE] * in[i + d];
        storst = fmaxf(storst, fabsf(s - ut[i]));
    }
    printf("storsta avvikelse: %g (%s)\n", storst, storst < 1e-4f ? "godkand" : "underkand");
    cudaFree(in);
    cudaFree(ut);
    return 0;
}
