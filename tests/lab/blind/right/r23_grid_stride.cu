// grid-stride loops in both dimensions => works with any grid and any block
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <memory>
#include <cuda_runtime.h>

__global__ void matmulGridStride(float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B,
                                 unsigned m, unsigned k, unsigned n)
{
    for (unsigned row = blockIdx.y * blockDim.y + threadIdx.y; row < m; row += gridDim.y * blockDim.y) {
        for (unsigned col = blockIdx.x * blockDim.x + threadIdx.x; col < n; col += gridDim.x * blockDim.x) {
            float acc = 0.f;
            for (unsigned i = 0; i < k; ++i)
                acc = fmaf(__ldg(&A[row * k + i]), __ldg(&B[i * n + col]), acc);
            C[row * n + col] = acc;
        }
    }
}

int main(int argc, char** argv)
{
    unsigned m = argc > 1 ? std::atoi(argv[1]) : 257;
    unsigned k = argc > 2 ? std::atoi(argv[2]) : 64;
    unsigned n = argc > 3 ? std::atoi(argv[3]) : 300;

    auto A = std::make_unique<float[]>(m * k);
    auto B = std::make_unique<float[]>(k * n);
    auto C = std::make_unique<float[]>(m * n);
    for (unsigned i = 0; i < m * k; ++i) A[i] = 1.f / (1 + i % 10);
    for (unsigned i = 0; i < k * n; ++i) B[i] = 0.5f * (i % 4);

    float *A_d, *B_d, *C_d;
    cudaMalloc(&A_d, m * k * sizeof(float));
    cudaMalloc(&B_d, k * n * sizeof(float));
    cudaMalloc(&C_d, m * n * sizeof(float));
    cudaMemcpy(A_d, A.get(), m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(B_d, B.get(), k * n * sizeof(float), cudaMemcpyHostToDevice);

    // deliberately fewer threads than elements
    matmulGridStride<<<dim3(4, 5), dim3(32, 8)>>>(C_d, A_d, B_d, m, k, n);
    cudaMemcpy(C.get(), C_d, m * n * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (unsigned i = 0; i < m; ++i)
        for (unsigned j = 0; j < n; ++j) {
            double s = 0;
            for (unsigned l = 0; l < k; ++l) s += double(A[i * k + l]) * B[l * n + j];
            ok = ok && std::fabs(s - C[i * n + j]) < 1e-3;
        }
    std::printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(A_d); cudaFree(B_d); cudaFree(C_d);
    return ok ? 0 : 1;
}
