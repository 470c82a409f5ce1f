// Gwaje 3: naejeok (dot product) - yeoreo block-ui hap-eul hana-ro
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <cstdlib>

#define BLOCK 512

#define HWAGIN(x)                                                   \
    {                                                               \
        cudaError_t oryu = (x);                                     \
        if (oryu != cudaSuccess) {                                  \
            printf("%d: %s\n", __LINE__, cudaGetErrorString(oryu)); \
            return 1;                                               \
        }                                                           \
    }

// han block-e 2 * BLOCK gae-ui wonso
__global__ void naejeok(const float *x, const float *y, float *gyeolgwa, int n)
{
    __shared__ float bang[BLOCK];
    unsigned int t = threadIdx.x;
    unsigned int i = blockIdx.x * (2 * BLOCK) + t;

    float gap = 0.0f;
    if (i < n)
        gap = x[i] * y[i];
    if (i + BLOCK < n)
        gap += x[i + BLOCK] * y[i + BLOCK];
    bang[t] = gap;
    __syncthreads();

    for (unsigned int s = BLOCK / 2; s >= 32; s >>= 1) {
        if (t < s)
            bang[t] += bang[t + s];
        __syncthreads();
    }

    // majimak warp
    if (t < 32) {
        float v = bang[t];
        v += __shfl_down_sync(0xffffffff, v, 16);
        v += __shfl_down_sync(0xffffffff, v, 8);
        v += __shfl_down_sync(0xffffffff, v, 4);
        v += __shfl_down_sync(0xffffffff, v, 2);
        v += __shfl_down_sync(0xffffffff, v, 1);
        if (t == 0)
            *gyeolgwa += v;
    }
}

int main(int argc, char **argv)
{
    int n = 1 << 20;
    if (argc > 1)
        n = atoi(argv[1]);

    float *x, *y, *r;
    HWAGIN(cudaMallocManaged(&x, n * sizeof(float)));
    HWAGIN(cudaMallocManaged(&y, n * sizeof(float)));
    HWAGIN(cudaMallocManaged(&r, sizeof(float)));

    for (int i = 0; i < n; i++) {
        x[i] = 1.0f / (1 + i % 10);
        y[i] = (i % 3) - 0.5f;
    }
    *r = 0.0f;

    int blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    naejeok<<<blocks, BLOCK>>>(x, y, r, n);
    HWAGIN(cudaGetLastError());
    HWAGIN(cudaDeviceSynchronize());

    double jeongdap = 0.0;
    for (int i = 0; i < n; i++)
        jeongdap += (double)x[i] * y[i];

    double cha = fabs(*r - jeongdap) / fabs(jeongdap);
    printf("GPU = %f, CPU = %f\n", *r, jeongdap);
    if (cha < 1e-4)
        printf("seonggong\n");
    else
        printf("silpae\n");

    cudaFree(x);
    cudaFree(y);
    cudaFree(r);
    return 0;
}
