// Producte escalar amb lectures float4 i dos kernels.
// Els punters venen de cudaMalloc; n pot no ser múltiple de 4.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static const int FILS  = 256;
static const int BLOCS = 96;

__device__ float sumaWarp(float v)
{
    #pragma unroll
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_xor_sync(~0u, v, o);
    return v;
}

__global__ void parcials(const float *x, const float *y, size_t n, float *out)
{
    __shared__ float w[FILS / 32];

    const float4 *x4 = (const float4 *)x;
    const float4 *y4 = (const float4 *)y;
    size_t n4  = n / 4;
    size_t id  = (size_t)blockIdx.x * FILS + threadIdx.x;
    size_t pas = (size_t)gridDim.x * FILS;

    float s = 0.f;
    for (size_t i = id; i < n4; i += pas) {
        float4 a = x4[i], b = y4[i];
        s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    // la cua: com a molt tres elements
    size_t t = 4 * n4 + id;
    if (t < n)
        s += x[t] * y[t];

    s = sumaWarp(s);
    if (threadIdx.x % 32 == 0)
        w[threadIdx.x / 32] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        float total = 0.f;
        for (int i = 0; i < FILS / 32; i++)
            total += w[i];
        out[blockIdx.x] = total;
    }
}

// un sol warp: <<<1, 32>>>
__global__ void final1(const float *p, int m, float *res)
{
    float s = 0.f;
    for (int i = threadIdx.x; i < m; i += 32)
        s += p[i];
    s = sumaWarp(s);
    if (threadIdx.x == 0)
        *res = s;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 123457;
    if (n == 0) return 0;

    float *h = (float *)malloc(n * sizeof(float));
    for (size_t i = 0; i < n; i++)
        h[i] = (float)(i % 10);

    float *x, *y, *p, *r, res;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&p, BLOCS * sizeof(float));
    cudaMalloc(&r, sizeof(float));
    cudaMemcpy(x, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, h, n * sizeof(float), cudaMemcpyHostToDevice);

    parcials<<<BLOCS, FILS>>>(x, y, n, p);
    final1<<<1, 32>>>(p, BLOCS, r);

    cudaMemcpy(&res, r, sizeof(float), cudaMemcpyDeviceToHost);
    printf("n = %zu, producte = %f\n", n, res);
    cudaFree(x); cudaFree(y); cudaFree(p); cudaFree(r);
    free(h);
    return 0;
}
