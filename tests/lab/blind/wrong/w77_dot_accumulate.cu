#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define N (33 * 1024 + 7)
#define TPB 256

__global__ void dot(const float *a, const float *b, float *d_dot, int n)
{
    __shared__ float prod[TPB];
    int gid = threadIdx.x + blockIdx.x * blockDim.x;

    float t = 0.0f;
    while (gid < n) {
        t += a[gid] * b[gid];
        gid += blockDim.x * gridDim.x;
    }
    prod[threadIdx.x] = t;
    __syncthreads();

    int i = blockDim.x / 2;
    while (i != 0) {
        if (threadIdx.x < i)
            prod[threadIdx.x] += prod[threadIdx.x + i];
        __syncthreads();
        i /= 2;
    }

    if (threadIdx.x == 0)
        *d_dot += prod[0];
}

int main()
{
    float *a = (float *)malloc(N * sizeof(float));
    float *b = (float *)malloc(N * sizeof(float));
    for (int i = 0; i < N; i++) {
        a[i] = (float)(i % 3);
        b[i] = (float)(i % 5);
    }

    float *dev_a, *dev_b, *dev_c;
    cudaMalloc((void **)&dev_a, N * sizeof(float));
    cudaMalloc((void **)&dev_b, N * sizeof(float));
    cudaMalloc((void **)&dev_c, sizeof(float));
    cudaMemcpy(dev_a, a, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_b, b, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dev_c, 0, sizeof(float));

    dot<<<64, TPB>>>(dev_a, dev_b, dev_c, N);

    float c;
    cudaMemcpy(&c, dev_c, sizeof(float), cudaMemcpyDeviceToHost);
    double ref = 0.0;
    for (int i = 0; i < N; i++)
        ref += (double)a[i] * b[i];
    printf("max error: %g\n", fabs(ref - c));

    cudaFree(dev_a);
    cudaFree(dev_b);
    cudaFree(dev_c);
    free(a);
    free(b);
    return 0;
}
