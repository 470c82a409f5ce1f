// The reduced product done in three steps:
//   1. SA[i][k] = A[2i][k] + A[2i+1][k]          (h x p)
//   2. SB[k][j] = B[k][2j] + B[k][2j+1]          (p x w)
//   3. C = SA * SB                               (h x w)
#include <cuda_runtime.h>

__global__ void addRowPairs(const float* A, float* SA, int h, int p)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y;
    if (k < p)
        SA[i * p + k] = A[2 * i * p + k] + A[(2 * i + 1) * p + k];
}

__global__ void addColumnPairs(const float* B, float* SB, int count)
{
    // with even row lengths the pairs are simply neighbours in memory
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < count)
        SB[e] = B[2 * e] + B[2 * e + 1];
}

#define T 16

__global__ void multiply(const float* X, const float* Y, float* Z, int h, int p, int w)
{
    __shared__ float xs[T][T + 1];
    __shared__ float ys[T][T + 1];
    int i = blockIdx.y * T + threadIdx.y;
    int j = blockIdx.x * T + threadIdx.x;
    float z = 0.0f;

    for (int t = 0; t < (p + T - 1) / T; ++t) {
        int kx = t * T + threadIdx.x;
        int ky = t * T + threadIdx.y;
        xs[threadIdx.y][threadIdx.x] = i < h && kx < p ? X[i * p + kx] : 0.0f;
        ys[threadIdx.y][threadIdx.x] = ky < p && j < w ? Y[ky * w + j] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; ++k)
            z += xs[threadIdx.y][k] * ys[k][threadIdx.x];
        __syncthreads();
    }
    if (i < h && j < w)
        Z[i * w + j] = z;
}

// all pointers are device pointers; A is 2h x p, B is p x 2w, C is h x w
cudaError_t reducedProduct(const float* A, const float* B, float* C, int h, int p, int w)
{
    float *SA = nullptr, *SB = nullptr;
    cudaError_t status = cudaMalloc((void**)&SA, sizeof(float) * h * p);
    if (status != cudaSuccess)
        return status;
    status = cudaMalloc((void**)&SB, sizeof(float) * p * w);
    if (status != cudaSuccess) {
        cudaFree(SA);
        return status;
    }

    addRowPairs<<<dim3((p + 127) / 128, h), 128>>>(A, SA, h, p);
    addColumnPairs<<<(p * w + 255) / 256, 256>>>(B, SB, p * w);
    multiply<<<dim3((w + T - 1) / T, (h + T - 1) / T), dim3(T, T)>>>(SA, SB, C, h, p, w);

    status = cudaDeviceSynchronize();
    cudaFree(SA);
    cudaFree(SB);
    return status;
}
