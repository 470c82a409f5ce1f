#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>

// Every slice of the inner dimension is handled by its own layer of blocks (z).
// C is zero before the launch.
__global__ void gemmSlices(int m, int n, int k, int sliceLen,
                           const float* A, const float* B, float* C)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int from = blockIdx.z * sliceLen;
    int to = from + sliceLen < k ? from + sliceLen : k;

    if (row < m && col < n) {
        float s = 0.f;
        for (int p = from; p < to; ++p)
            s += A[row * k + p] * B[p * n + col];
        C[row * n + col] += s;
    }
}

int main()
{
    const int m = 64, n = 48, k = 512, slices = 8;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (auto& x : A) x = (std::rand() % 9) - 4;
    for (auto& x : B) x = (std::rand() % 9) - 4;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, C.size() * sizeof(float));

    dim3 threads(16, 16);
    dim3 blocks((n + 15) / 16, (m + 15) / 16, slices);
    gemmSlices<<<blocks, threads>>>(m, n, k, (k + slices - 1) / slices, dA, dB, dC);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int p = 0; p < k; ++p) s += A[i * k + p] * B[p * n + j];
            if (std::fabs(s - C[i * n + j]) > 0.5f) ok = false;
        }
    std::cout << (ok ? "passed" : "failed") << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return ok ? 0 : 1;
}
