// Dot product of two vectors, block reduction in shared memory
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define THREADS 192
#define BLOCKS 40

__global__ void dotKernel(const float *a, const float *b, float *partial, int n)
{
    __shared__ float cache[THREADS];
    int tid = threadIdx.x;
    float temp = 0;

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        temp += a[i] * b[i];

    cache[tid] = temp;
    __syncthreads();

    int s = blockDim.x / 2;
    while (s != 0) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
        s /= 2;
    }

    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

int main()
{
    const int N = 33 * 1024 + 7;
    float *a = new float[N], *b = new float[N], *p = new float[BLOCKS];
    for (int i = 0; i < N; i++) {
        a[i] = (float)(i % 4);
        b[i] = (float)(i % 3) - 1.0f;
    }

    float *da, *db, *dp;
    cudaMalloc(&da, N * sizeof(float));
    cudaMalloc(&db, N * sizeof(float));
    cudaMalloc(&dp, BLOCKS * sizeof(float));
    cudaMemcpy(da, a, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, N * sizeof(float), cudaMemcpyHostToDevice);

    dotKernel<<<BLOCKS, THREADS>>>(da, db, dp, N);
    cudaMemcpy(p, dp, BLOCKS * sizeof(float), cudaMemcpyDeviceToHost);

    double gpu = 0, cpu = 0;
    for (int i = 0; i < BLOCKS; i++) gpu += p[i];
    for (int i = 0; i < N; i++) cpu += a[i] * b[i];
    printf("gpu %f  cpu %f\n", gpu, cpu);

    cudaFree(da); cudaFree(db); cudaFree(dp);
    delete[] a; delete[] b; delete[] p;
    return fabs(gpu - cpu) > 1e-3;
}
