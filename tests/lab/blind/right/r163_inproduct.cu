// Opdracht 2: inproduct van twee vectoren met een boom in shared memory
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define DRADEN 256      // macht van twee

__global__ void inproduct(const float *u, const float *v, float *deel, int lengte)
{
    __shared__ float cache[DRADEN];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    cache[threadIdx.x] = (i < lengte) ? u[i] * v[i] : 0.0f;
    __syncthreads();

    for (unsigned int stap = DRADEN / 2; stap > 0; stap >>= 1) {
        if (threadIdx.x < stap)
            cache[threadIdx.x] += cache[threadIdx.x + stap];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        deel[blockIdx.x] = cache[0];
}

int main(void)
{
    int lengte = 100003;
    int blokken = (lengte + DRADEN - 1) / DRADEN;
    float *u = (float *)malloc(lengte * sizeof(float));
    float *v = (float *)malloc(lengte * sizeof(float));
    float *deel = (float *)malloc(blokken * sizeof(float));
    for (int i = 0; i < lengte; i++) {
        u[i] = (float)((i % 17) - 8);
        v[i] = (float)((i % 5) + 1);
    }

    float *du, *dv, *ddeel;
    cudaMalloc((void **)&du, lengte * sizeof(float));
    cudaMalloc((void **)&dv, lengte * sizeof(float));
    cudaMalloc((void **)&ddeel, blokken * sizeof(float));
    cudaMemcpy(du, u, lengte * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v, lengte * sizeof(float), cudaMemcpyHostToDevice);

    inproduct<<<blokken, DRADEN>>>(du, dv, ddeel, lengte);
    cudaMemcpy(deel, ddeel, blokken * sizeof(float), cudaMemcpyDeviceToHost);

    // de deelsommen tellen we op de CPU bij elkaar op
    double som = 0.0, controle = 0.0;
    for (int b = 0; b < blokken; b++) som += deel[b];
    for (int i = 0; i < lengte; i++) controle += (double)u[i] * v[i];

    printf("gpu %.1f cpu %.1f\n", som, controle);
    cudaFree(du); cudaFree(dv); cudaFree(ddeel);
    free(u); free(v); free(deel);
    return fabs(som - controle) < 0.5 ? 0 : 1;
}
