#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define B_X 32
#define B_Y 8

__global__ void matMulKern(const float *a, const float *b, float *c,
                           int zeilen, int mitte, int spalten)
{
    const int s = blockIdx.x * B_X + threadIdx.x;
    const int z = blockIdx.y * B_Y + threadIdx.y;
    if (z < zeilen && s < spalten) {
        float erg = 0.0f;
        const float *zeiger = b + s;
        for (int k = 0; k < mitte; ++k, zeiger += spalten)
            erg += a[z * mitte + k] * *zeiger;
        c[z * spalten + s] = erg;
    }
}

static void pruefe(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

void multipliziere(const float *a, const float *b, float *c, int zeilen, int mitte, int spalten)
{
    dim3 block(B_X, B_Y);
    dim3 grid((zeilen + B_X - 1) / B_X, (spalten + B_Y - 1) / B_Y);
    matMulKern<<<grid, block>>>(a, b, c, zeilen, mitte, spalten);
    pruefe(cudaGetLastError());
    pruefe(cudaDeviceSynchronize());
}

int main()
{
    int zeilen = 20, mitte = 64, spalten = 300;
    float *a, *b, *c;
    pruefe(cudaMallocManaged(&a, zeilen * mitte * sizeof(float)));
    pruefe(cudaMallocManaged(&b, mitte * spalten * sizeof(float)));
    pruefe(cudaMallocManaged(&c, zeilen * spalten * sizeof(float)));
    for (int i = 0; i < zeilen * mitte; ++i) a[i] = 1.0f;
    for (int i = 0; i < mitte * spalten; ++i) b[i] = 1.0f;
    multipliziere(a, b, c, zeilen, mitte, spalten);
    printf("%f\n", c[zeilen * spalten - 1]);
    return 0;
}
