// Produto interno com __shfl_down_sync; o total fica em *saida.
#include <cuda_runtime.h>

constexpr unsigned TODAS = 0xffffffffu;
constexpr int BLOCO = 256;

__inline__ __device__ float somaDoWarp(float v)
{
    v += __shfl_down_sync(TODAS, v, 16);
    v += __shfl_down_sync(TODAS, v, 8);
    v += __shfl_down_sync(TODAS, v, 4);
    v += __shfl_down_sync(TODAS, v, 2);
    v += __shfl_down_sync(TODAS, v, 1);
    return v;
}

__global__ void produtoInterno(const float4* a, const float4* b, size_t quartetos, float* saida)
{
    float v = 0.0f;
    for (size_t i = (size_t)blockIdx.x * BLOCO + threadIdx.x; i < quartetos;
         i += (size_t)gridDim.x * BLOCO) {
        const float4 p = a[i];
        const float4 q = b[i];
        v += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }

    v = somaDoWarp(v);
    if (threadIdx.x == 0)
        atomicAdd(saida, v);
}

// n multiplo de 4; ponteiros do hospedeiro
float produtoInternoHost(const float* a, const float* b, size_t n)
{
    float4 *da = nullptr, *db = nullptr;
    float *ds = nullptr, resultado = 0.0f;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&ds, sizeof(float));
    cudaMemcpy(da, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, sizeof(float));

    produtoInterno<<<120, BLOCO>>>(da, db, n / 4, ds);

    cudaMemcpy(&resultado, ds, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(ds);
    return resultado;
}
