// Divu pusprecīzu (half) vektoru skalārais reizinājums divos posmos.
// 1. posms: BLOKI daļējās summas (float); 2. posms: viens bloks tās saskaita.
// n > 0 var būt arī nepāra; x un y ir cudaMalloc rādītāji.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define BLOKI 96
#define PAVEDIENI 160

__device__ float varpa_summa(float v)
{
    v += __shfl_xor_sync(0xffffffff, v, 16);
    v += __shfl_xor_sync(0xffffffff, v, 8);
    v += __shfl_xor_sync(0xffffffff, v, 4);
    v += __shfl_xor_sync(0xffffffff, v, 2);
    return v + __shfl_xor_sync(0xffffffff, v, 1);
}

__global__ void posms1(const __half *x, const __half *y, int n, float *dalas)
{
    __shared__ float s[PAVEDIENI / 32];
    const __half2 *x2 = (const __half2 *)x, *y2 = (const __half2 *)y;
    int pari = n / 2, gid = blockIdx.x * PAVEDIENI + threadIdx.x;
    float v = 0;

    for (int i = gid; i < pari; i += BLOKI * PAVEDIENI) {
        float2 a = __half22float2(x2[i]), b = __half22float2(y2[i]);
        v += a.x * b.x;
        v += a.y * b.y;
    }
    if (gid == 0 && n % 2)
        v += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    v = varpa_summa(v);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        dalas[blockIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4];
}

// <<<1, 32>>>
__global__ void posms2(const float *dalas, float *rez)
{
    float v = 0;
    for (int i = threadIdx.x; i < BLOKI; i += 32) v += dalas[i];
    v = varpa_summa(v);
    if (threadIdx.x == 0) *rez = v;
}

int main()
{
    const int n = 50001;
    __half *x, *y;
    float *dalas, *rez;
    cudaMallocManaged(&x, n * sizeof(__half));
    cudaMallocManaged(&y, n * sizeof(__half));
    cudaMalloc(&dalas, BLOKI * sizeof(float));
    cudaMallocManaged(&rez, sizeof(float));

    double gaidits = 0, merogs = 0;
    for (int i = 0; i < n; i++) {
        x[i] = __float2half(rand() % 200 / 100.0f - 1.0f);
        y[i] = __float2half(rand() % 300 / 100.0f);
        double t = (double)__half2float(x[i]) * __half2float(y[i]);
        gaidits += t;
        merogs += fabs(t);
    }
    posms1<<<BLOKI, PAVEDIENI>>>(x, y, n, dalas);
    posms2<<<1, 32>>>(dalas, rez);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;

    int labi = fabs(*rez - gaidits) < 1e-5 * merogs;
    printf("%f %f %s\n", *rez, gaidits, labi ? "labi" : "SLIKTI");
    cudaFree(x); cudaFree(y); cudaFree(dalas); cudaFree(rez);
    return !labi;
}
