/* Скалярний добуток: суми варпів збираємо у спільній пам'яті, далі їх додає перший варп.
   n від 1 до 500 000 000; блок - ціле число варпів, від 32 до 1024 потоків. */
#include <stdio.h>
#include <cuda_runtime.h>

#define POVNA 0xffffffffu

static __device__ float sumaVarpu(float v)
{
    v += __shfl_xor_sync(POVNA, v, 16);
    v += __shfl_xor_sync(POVNA, v, 8);
    v += __shfl_xor_sync(POVNA, v, 4);
    v += __shfl_xor_sync(POVNA, v, 2);
    v += __shfl_xor_sync(POVNA, v, 1);
    return v;
}

__global__ void dobutok(const float *u, const float *w, float *rezultat, int n)
{
    __shared__ float sumy[32];
    int smuha = threadIdx.x % 32;
    int varp = threadIdx.x / 32;
    int varpiv = blockDim.x / 32;
    int krok = blockDim.x * gridDim.x;
    float v = 0.0f;

    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += krok)
        v += u[i] * w[i];

    v = sumaVarpu(v);
    if (smuha == 0)
        sumy[varp] = v;
    __syncthreads();

    if (varp == 0) {
        v = smuha <= varpiv ? sumy[smuha] : 0.0f;
        v = sumaVarpu(v);
        if (smuha == 0)
            atomicAdd(rezultat, v);
    }
}

int main(void)
{
    int n = 1000003;
    float *u, *w, *r;
    cudaMallocManaged(&u, n * sizeof(float));
    cudaMallocManaged(&w, n * sizeof(float));
    cudaMallocManaged(&r, sizeof(float));
    for (int i = 0; i < n; i++) {
        u[i] = 1.0f;
        w[i] = (i % 2) ? 2.0f : 0.0f;
    }
    *r = 0.0f;
    dobutok<<<64, 256>>>(u, w, r, n);
    cudaDeviceSynchronize();
    printf("%f (має бути %d)\n", *r, n / 2 * 2);
    cudaFree(u);
    cudaFree(w);
    cudaFree(r);
    return 0;
}
