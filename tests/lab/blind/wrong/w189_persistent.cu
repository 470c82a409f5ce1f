#include <cuda_runtime.h>
#include <cstdio>

#define TD 16

// A limited number of blocks processes a list of output tiles
__global__ void tileQueue(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[TD][TD + 1];
    __shared__ float b[TD][TD + 1];
    const int perSide = (n + TD - 1) / TD;
    const int ty = threadIdx.y, tx = threadIdx.x;
    float acc = 0.0f;

    for (int job = blockIdx.x; job < perSide * perSide; job += gridDim.x) {
        const int r = (job / perSide) * TD + ty;
        const int c = (job % perSide) * TD + tx;

        for (int s = 0; s < perSide; ++s) {
            a[ty][tx] = (r < n && s * TD + tx < n) ? A[r * n + s * TD + tx] : 0.0f;
            b[ty][tx] = (c < n && s * TD + ty < n) ? B[(s * TD + ty) * n + c] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TD; ++k)
                acc += a[ty][k] * b[k][tx];
            __syncthreads();
        }
        if (r < n && c < n)
            C[r * n + c] = acc;
    }
}

int main()
{
    const int n = 75;
    float *A, *B, *C;
    cudaMallocManaged(&A, n * n * sizeof(float));
    cudaMallocManaged(&B, n * n * sizeof(float));
    cudaMallocManaged(&C, n * n * sizeof(float));
    for (int i = 0; i < n * n; ++i) { A[i] = 1.0f; B[i] = 0.1f * (i % 10); }
    tileQueue<<<4, dim3(TD, TD)>>>(A, B, C, n);
    cudaDeviceSynchronize();
    printf("%f\n", C[n * n - 1]);
    return 0;
}
