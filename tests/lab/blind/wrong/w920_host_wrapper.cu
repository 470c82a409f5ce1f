#include <cuda_runtime.h>

// C = A * B on the device for matrices in host memory.
// hA: p x q, hB: q x r, hC: p x r, row-major, no restriction on p, q, r (> 0).

template <int BX, int BY>
__global__ void kernel(const float *A, const float *B, float *C, int p, int q, int r)
{
    static_assert(BX % BY == 0, "BX must be a multiple of BY");
    __shared__ float a[BY][BX];
    __shared__ float b[BX][BX];

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * BY + y;
    const int col = blockIdx.x * BX + x;
    float res = 0;

    for (int s = 0; s < q; s += BX) {
        a[y][x] = (row < p && s + x < q) ? A[row * q + s + x] : 0;
        for (int v = y; v < BX; v += BY)
            b[v][x] = (s + v < q && col < r) ? B[(s + v) * r + col] : 0;
        __syncthreads();
#pragma unroll 8
        for (int t = 0; t < BX; ++t)
            res += a[y][t] * b[t][x];
        __syncthreads();
    }
    if (row < p && col < r)
        C[row * r + col] = res;
}

void multiply(const float *hA, const float *hB, float *hC, int p, int q, int r)
{
    const size_t bytesA = sizeof(float) * p * q;
    const size_t bytesB = sizeof(float) * q * r;
    const size_t bytesC = sizeof(float) * p * r;
    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, bytesA);
    cudaMalloc((void **)&dB, bytesB);
    cudaMalloc((void **)&dC, bytesC);
    cudaMemcpy(dA, hA, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bytesB, cudaMemcpyHostToDevice);

    dim3 block(32, 8);
    dim3 grid((r + block.x - 1) / block.x, (p + block.y - 1) / block.y);
    kernel<32, 8><<<grid, block>>>(dA, dB, dC, p, q, r);

    cudaMemcpy(hC, dC, bytesA, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}
