// Lab 2: skalyarnoe proizvedenie dvuh vektorov
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define POTOKI 256
#define BLOKI 120

__global__ void skalyarnoe(const float *x, const float *y, float *itog, int n)
{
    __shared__ float kesh[POTOKI];

    int t = threadIdx.x;
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
        s += x[i] * y[i];
    kesh[t] = s;
    __syncthreads();

    // derevo v razdelyaemoj pamyati
    for (int shag = POTOKI / 2; shag > 0; shag /= 2) {
        if (t < shag)
            kesh[t] += kesh[t + shag];
    }
    __syncthreads();

    if (t == 0)
        atomicAdd(itog, kesh[0]);
}

static void oshibka(cudaError_t e)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "oshibka: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000003;
    if (n < 1) {
        fprintf(stderr, "n dolzhno byt polozhitelnym\n");
        return 1;
    }
    size_t razmer = n * sizeof(float);

    float *x = (float *)malloc(razmer);
    float *y = (float *)malloc(razmer);
    double etalon = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(rand() % 1000) / 1000.0f;
        y[i] = (float)(rand() % 1000) / 1000.0f;
        etalon += (double)x[i] * y[i];
    }

    float *gx, *gy, *gitog, itog;
    oshibka(cudaMalloc((void **)&gx, razmer));
    oshibka(cudaMalloc((void **)&gy, razmer));
    oshibka(cudaMalloc((void **)&gitog, sizeof(float)));
    oshibka(cudaMemcpy(gx, x, razmer, cudaMemcpyHostToDevice));
    oshibka(cudaMemcpy(gy, y, razmer, cudaMemcpyHostToDevice));
    oshibka(cudaMemset(gitog, 0, sizeof(float)));

    skalyarnoe<<<BLOKI, POTOKI>>>(gx, gy, gitog, n);
    oshibka(cudaGetLastError());
    oshibka(cudaMemcpy(&itog, gitog, sizeof(float), cudaMemcpyDeviceToHost));

    double otnos = fabs(itog - etalon) / (etalon > 0 ? etalon : 1.0);
    printf("GPU %.6f  CPU %.6f  raznica %.2e  %s\n", itog, etalon, otnos,
           otnos < 1e-4 ? "verno" : "NEVERNO");

    free(x);
    free(y);
    cudaFree(gx);
    cudaFree(gy);
    cudaFree(gitog);
    return 0;
}
