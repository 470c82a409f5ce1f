// Одномерная свёртка с ядром из 2 * R + 1 коэффициентов; за краями сигнала нули.
// vyhod[i] = sum_{j=-R..R} yadro[j + R] * vhod[i + j]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int R = 4;
const int POTOKI = 128;

__constant__ float yadro[2 * R + 1];

__global__ void svertka(const float *vhod, float *vyhod, int n)
{
    __shared__ float kusok[POTOKI + 2 * R];
    const int t = threadIdx.x;
    const int nachalo = blockIdx.x * POTOKI;
    const int i = nachalo + t;

    kusok[t + R] = i < n ? vhod[i] : 0.0f;
    if (t < R) {
        const int levyi = nachalo - 1 - t;
        const int pravyi = nachalo + POTOKI + t;
        kusok[t] = levyi >= 0 ? vhod[levyi] : 0.0f;
        kusok[POTOKI + R + t] = pravyi < n ? vhod[pravyi] : 0.0f;
    }
    __syncthreads();

    if (i < n) {
        float s = 0.0f;
        for (int j = 0; j <= 2 * R; ++j)
            s += yadro[j] * kusok[t + j];
        vyhod[i] = s;
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 5000;
    if (n < 1)
        return 2;

    float h_yadro[2 * R + 1];
    for (int j = 0; j <= 2 * R; ++j)
        h_yadro[j] = 1.0f / (1.0f + abs(j - R));
    cudaMemcpyToSymbol(yadro, h_yadro, sizeof(h_yadro));

    float *vhod, *vyhod;
    cudaMallocManaged(&vhod, n * sizeof(float));
    cudaMallocManaged(&vyhod, n * sizeof(float));
    for (int i = 0; i < n; ++i)
        vhod[i] = cosf(0.05f * i);

    svertka<<<(n + POTOKI - 1) / POTOKI, POTOKI>>>(vhod, vyhod, n);
    cudaError_t oshibka = cudaDeviceSynchronize();
    if (oshibka != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(oshibka));
        return 1;
    }

    float maxRaznost = 0.0f;
    for (int i = 0; i < n; ++i) {
        float s = 0.0f;
        for (int j = -R; j <= R; ++j)
            if (i + j >= 0 && i + j < n)
                s += h_yadro[j + R] * vhod[i + j];
        maxRaznost = fmaxf(maxRaznost, fabsf(s - vyhod[i]));
    }
    printf("наибольшая разность: %g\n", maxRaznost);
    cudaFree(vhod);
    cudaFree(vyhod);
    return maxRaznost < 1e-4f ? 0 : 1;
}
