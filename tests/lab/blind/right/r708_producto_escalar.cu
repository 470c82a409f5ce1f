// Producto escalar de dos vectores float (de 1 a mil millones de elementos).
#include <cstdio>
#include <vector>
#include <numeric>
#include <algorithm>
#include <cuda_runtime.h>

constexpr int HILOS = 256;
constexpr int WARPS = HILOS / 32;

__inline__ __device__ float sumaWarp(float v)
{
    for (int salto = 16; salto > 0; salto >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, salto);
    return v;
}

__global__ void productoEscalar(const float *u, const float *v, float *resultado, int n)
{
    __shared__ float parciales[WARPS];

    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += u[i] * v[i];

    s = sumaWarp(s);
    int carril = threadIdx.x % 32;
    int warp   = threadIdx.x / 32;
    if (carril == 0)
        parciales[warp] = s;
    __syncthreads();

    // el primer warp suma los parciales de los demas
    if (warp == 0) {
        s = (carril < WARPS) ? parciales[carril] : 0.0f;
        s = sumaWarp(s);
        if (carril == 0)
            atomicAdd(resultado, s);
    }
}

float escalarGPU(const std::vector<float> &u, const std::vector<float> &v)
{
    const int n = static_cast<int>(u.size());
    float *d_u, *d_v, *d_r, r = 0.0f;
    cudaMalloc(&d_u, n * sizeof(float));
    cudaMalloc(&d_v, n * sizeof(float));
    cudaMalloc(&d_r, sizeof(float));
    cudaMemcpy(d_u, u.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_r, 0, sizeof(float));

    const int bloques = std::min(1024, (n + HILOS - 1) / HILOS);
    productoEscalar<<<bloques, HILOS>>>(d_u, d_v, d_r, n);

    cudaMemcpy(&r, d_r, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_u);
    cudaFree(d_v);
    cudaFree(d_r);
    return r;
}

int main()
{
    for (int n : {1, 31, 256, 1000, 100003}) {
        std::vector<float> u(n), v(n);
        for (int i = 0; i < n; ++i) {
            u[i] = float(i % 7) - 3.0f;
            v[i] = float(i % 5) * 0.5f;
        }
        float cpu = std::inner_product(u.begin(), u.end(), v.begin(), 0.0f);
        std::printf("n = %6d   GPU = %.3f   CPU = %.3f\n", n, escalarGPU(u, v), cpu);
    }
    return 0;
}
