#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>

// kadai 5: hanseido (half) no gyouretsu seki, wa wa float de toru
#define TAIRU 16

__global__ void gyouretsuSeki(const __half *hidari, const __half *migi, __half *kekka,
                              int gyou, int naka, int retsu)
{
    __shared__ __half th[TAIRU][TAIRU];
    __shared__ __half tm[TAIRU][TAIRU];

    const int g = blockIdx.y * TAIRU + threadIdx.y;
    const int r = blockIdx.x * TAIRU + threadIdx.x;
    const __half zero = __float2half(0.0f);
    float wa = 0.0f;

    for (int k0 = 0; k0 < naka; k0 += TAIRU) {
        const int kh = k0 + threadIdx.x;
        const int km = k0 + threadIdx.y;
        th[threadIdx.y][threadIdx.x] = (g < gyou && kh < naka) ? hidari[g * naka + kh] : zero;
        tm[threadIdx.y][threadIdx.x] = (km < naka && r < retsu) ? migi[km * retsu + r] : zero;
        __syncthreads();
        for (int k = 0; k < TAIRU; ++k)
            wa += __half2float(th[threadIdx.y][k]) * __half2float(tm[k][threadIdx.x]);
        __syncthreads();
    }
    if (g < gyou && r < retsu)
        kekka[g * retsu + r] = __float2half(wa);
}

int main()
{
    const int gyou = 20, naka = 24, retsu = 36;
    __half *a, *b, *c;
    cudaMallocManaged(&a, gyou * naka * sizeof(__half));
    cudaMallocManaged(&b, naka * retsu * sizeof(__half));
    cudaMallocManaged(&c, gyou * retsu * sizeof(__half));
    for (int i = 0; i < gyou * naka; ++i) a[i] = __float2half((float)(i % 3));
    for (int i = 0; i < naka * retsu; ++i) b[i] = __float2half((float)(i % 2));
    dim3 blk(TAIRU, TAIRU);
    dim3 grd((retsu + TAIRU - 1) / TAIRU, (gyou + TAIRU - 1) / TAIRU);
    gyouretsuSeki<<<grd, blk>>>(a, b, c, gyou, naka, retsu);
    cudaDeviceSynchronize();
    printf("%f\n", __half2float(c[0]));
    return 0;
}
