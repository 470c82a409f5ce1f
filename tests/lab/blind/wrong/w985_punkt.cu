#include <cuda_runtime.h>

/* Iloczyn skalarny, wiele blokow, wynik zbierany przez atomicAdd. */
#define ROZMIAR 96

__global__ void iloczyn(const float *u, const float *v, int n, float *wynik)
{
    __shared__ float schowek[ROZMIAR];
    const int t = threadIdx.x;
    float s = 0.0f;

    for (int i = blockIdx.x * ROZMIAR + t; i < n; i += ROZMIAR * gridDim.x)
        s += u[i] * v[i];

    schowek[t] = s;
    __syncthreads();

    for (int pol = ROZMIAR / 2; pol > 0; pol /= 2) {
        if (t < pol)
            schowek[t] += schowek[t + pol];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(wynik, schowek[0]);
}

float policz(const float *u, const float *v, int n)
{
    float *d, h = 0.0f;
    cudaMalloc(&d, sizeof(float));
    cudaMemcpy(d, &h, sizeof(float), cudaMemcpyHostToDevice);
    iloczyn<<<5, ROZMIAR>>>(u, v, n, d);
    cudaMemcpy(&h, d, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h;
}
