#include <iostream>
#include <vector>
using namespace std;
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { cerr << cudaGetErrorString(e); exit(1); } } while (0)
__global__ void matmul(const float* A, const float* B, float* C, const size_t rows, const size_t cols, const size_t inner)
{
    const size_t i = static_cast<size_t>(blockIdx.y) * blockDim.y + threadIdx.y;
    const size_t j = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= rows || j >= cols) return;
    float s = 0;
    for (size_t p = 0; p < inner; ++p) s += A[i * inner + p] * B[p * cols + j];
    C[i * cols + j] = s;
}
void multiply(const vector<float>& a, const vector<float>& b, vector<float>& c, size_t rows, size_t inner, size_t cols)
{
    float *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&dB, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&dC, c.size() * sizeof(float)));
    const dim3 block(32, 8);
    const dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    matmul<<<grid, block>>>(dA, dB, dC, rows, cols, inner);
    CHECK(cudaGetLastError());
}
