// Split-K matrix product for tall inner dimensions.
// grid.z blocks share one tile of C: each takes a slice of k and adds its part
// with atomicAdd. The host function clears C first, so it can be called repeatedly.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int TS = 16;

__global__ void splitK(const float* A, const float* B, float* C,
                       int m, int n, int k, int sliceLen)
{
    __shared__ float as[TS][TS];
    __shared__ float bs[TS][TS];

    const int row = blockIdx.y * TS + threadIdx.y;
    const int col = blockIdx.x * TS + threadIdx.x;
    const int first = blockIdx.z * sliceLen;
    const int last = min(first + sliceLen, k);   // one past the end of the slice

    float part = 0.0f;
    for (int p0 = first; p0 < last; p0 += TS) {
        const int pa = p0 + threadIdx.x;
        const int pb = p0 + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < m && pa < last ? A[row * k + pa] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = pb < last && col < n ? B[pb * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < TS; ++p)
            part += as[threadIdx.y][p] * bs[p][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        atomicAdd(&C[row * n + col], part);
}

cudaError_t multiply(const float* dA, const float* dB, float* dC, int m, int n, int k, int slices)
{
    cudaError_t err = cudaMemset(dC, 0, sizeof(float) * m * n);
    if (err != cudaSuccess) return err;
    const int sliceLen = (k + slices - 1) / slices;
    dim3 grid((n + TS - 1) / TS, (m + TS - 1) / TS, slices);
    splitK<<<grid, dim3(TS, TS)>>>(dA, dB, dC, m, n, k, sliceLen);
    return cudaGetLastError();
}

int main()
{
    const int m = 37, n = 29, k = 1003;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (int i = 0; i < m * k; ++i) A[i] = 0.1f * (i % 11) - 0.5f;
    for (int i = 0; i < k * n; ++i) B[i] = 0.1f * (i % 9) - 0.4f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * m * k);
    cudaMalloc(&dB, sizeof(float) * k * n);
    cudaMalloc(&dC, sizeof(float) * m * n);
    cudaMemcpy(dA, A.data(), sizeof(float) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(float) * k * n, cudaMemcpyHostToDevice);

    std::vector<double> ref(m * n, 0.0);
    for (int i = 0; i < m; ++i)
        for (int p = 0; p < k; ++p)
            for (int j = 0; j < n; ++j)
                ref[i * n + j] += double(A[i * k + p]) * B[p * n + j];

    bool good = true;
    double worst = 0.0;
    for (int slices : {1, 4, 7}) {
        good = good && multiply(dA, dB, dC, m, n, k, slices) == cudaSuccess;
        good = good && cudaMemcpy(C.data(), dC, sizeof(float) * m * n, cudaMemcpyDeviceToHost) == cudaSuccess;
        for (int i = 0; i < m * n; ++i)
            worst = std::max(worst, std::fabs(ref[i] - C[i]));
    }
    good = good && worst < 1e-2;
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    std::printf("split-K: worst difference %.2e %s\n", worst, good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
