// One block per row of C. The row of A is copied to (dynamic) shared memory first,
// then the 128 threads run over the columns. Only good if K is small enough for shared memory
// (K <= 12288 for 48 KB).
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void rowPerBlock(const float* A, const float* B, float* C, int K, int N)
{
    extern __shared__ float rowA[];
    const int row = blockIdx.x;

    for (int k = threadIdx.x; k < K; k += blockDim.x)
        rowA[k] = A[row * K + k];
    __syncthreads();

    for (int col = threadIdx.x; col < N; col += blockDim.x) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += rowA[k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

int main(int argc, char* argv[])
{
    int M = 90, K = 321, N = 211;
    if (argc > 3) { M = std::atoi(argv[1]); K = std::atoi(argv[2]); N = std::atoi(argv[3]); }
    if (K > 12288) { std::cerr << "K too large for shared memory\n"; return 2; }

    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = (i % 37) * 0.03f;
    for (int i = 0; i < K * N; ++i) B[i] = (i % 41) * 0.02f;
    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    rowPerBlock<<<M, 128, K * sizeof(float)>>>(dA, dB, dC, K, N);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += double(A[i * K + k]) * B[k * N + j];
            if (!(std::fabs(s - C[i * N + j]) <= 1e-2)) ok = false;
        }
    std::cout << (ok ? "OK" : "BAD") << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return ok ? 0 : 1;
}
