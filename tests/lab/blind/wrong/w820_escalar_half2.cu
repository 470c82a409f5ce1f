// Produto escalar de vetores half lidos como half2, soma em float.
// n pode ser qualquer inteiro de 1 a 2^30; x e y alinhados a 4 bytes.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define FIOS 256

__global__ void escalarHalf2(const __half *x, const __half *y, int n, float *resultado)
{
    __shared__ float parcial[FIOS];
    const __half2 *x2 = reinterpret_cast<const __half2 *>(x);
    const __half2 *y2 = reinterpret_cast<const __half2 *>(y);
    const int pares = n / 2;
    const int salto = gridDim.x * FIOS;

    float acc = 0.0f;
    for (int p = blockIdx.x * FIOS + threadIdx.x; p < pares; p += salto) {
        const float2 a = __half22float2(x2[p]);
        const float2 b = __half22float2(y2[p]);
        acc += a.x * b.x + a.y * b.y;
    }
    if (n % 2 == 1 && threadIdx.x == 0)
        acc += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    parcial[threadIdx.x] = acc;
    __syncthreads();
    for (int metade = FIOS / 2; metade > 0; metade >>= 1) {
        if (threadIdx.x < metade)
            parcial[threadIdx.x] += parcial[threadIdx.x + metade];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(resultado, parcial[0]);
}

void escalar(const __half *x, const __half *y, int n, float *resultado)
{
    int blocos = (n / 2 + FIOS - 1) / FIOS;
    if (blocos < 1)   blocos = 1;
    if (blocos > 300) blocos = 300;
    cudaMemset(resultado, 0, sizeof(float));
    escalarHalf2<<<blocos, FIOS>>>(x, y, n, resultado);
}
