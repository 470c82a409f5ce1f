#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#define BS 16

// each thread computes its 2x2 block of the full product in registers
__global__ void reducedMM(float* __restrict__ C, const float* __restrict__ A,
                          const float* __restrict__ B, int m, int k, int n)
{
    __shared__ float a[2 * BS][BS];
    __shared__ float b[BS][2 * BS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int rowBase = blockIdx.y * 2 * BS;
    int colBase = blockIdx.x * 2 * BS;
    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int t = 0; t < k; t += BS) {
        for (int h = 0; h < 2; ++h) {
            int r = rowBase + ty + h * BS;
            a[ty + h * BS][tx] = (r < m && t + tx < k) ? A[r * k + t + tx] : 0.0f;
            int c = colBase + tx + h * BS;
            b[ty][tx + h * BS] = (t + ty < k && c < n) ? B[(t + ty) * n + c] : 0.0f;
        }
        __syncthreads();
        for (int q = 0; q < BS; ++q) {
            float a0 = a[2 * ty][q], a1 = a[2 * ty + 1][q];
            float b0 = b[q][2 * tx], b1 = b[q][2 * tx + 1];
            p00 += a0 * b0; p01 += a0 * b1;
            p10 += a1 * b0; p11 += a1 * b1;
        }
        __syncthreads();
    }
    int i = blockIdx.y * BS + ty;
    int j = blockIdx.x * BS + tx;
    if (i < m / 2 && j < n / 2)
        C[i * (n / 2) + j] = p00 + p01 + p10 + p11;
}

int main()
{
    int m = 40, k = 33, n = 70;
    std::vector<float> hA(m * k, 1.f), hB(k * n, 1.f), hC((m / 2) * (n / 2));
    float *A, *B, *C;
    cudaMalloc(&A, hA.size() * 4);
    cudaMalloc(&B, hB.size() * 4);
    cudaMalloc(&C, hC.size() * 4);
    cudaMemcpy(A, hA.data(), hA.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(B, hB.data(), hB.size() * 4, cudaMemcpyHostToDevice);
    dim3 grid((n / 2 + BS - 1) / BS, (m / 2 + BS - 1) / BS);
    reducedMM<<<grid, dim3(BS, BS)>>>(C, A, B, m, k, n);
    cudaMemcpy(hC.data(), C, hC.size() * 4, cudaMemcpyDeviceToHost);
    std::cout << hC[0] << " expected " << 4 * k << std::endl;
    return 0;
}
