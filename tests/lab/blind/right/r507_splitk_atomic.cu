// Split-K: small M and N, long K.  Each z-slice of the grid sums its own range of k and
// adds it atomically to C.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

template <int TILE>
__global__ void splitk(const float *A, const float *B, float *C, int M, int N, int K, int slice)
{
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];

    const int r = blockIdx.y * TILE + threadIdx.y;
    const int c = blockIdx.x * TILE + threadIdx.x;
    const int kBegin = blockIdx.z * slice;
    const int kEnd = min(K, kBegin + slice);

    float part = 0.0f;
    for (int k0 = kBegin; k0 < kEnd; k0 += TILE) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = (r < M && ka < kEnd) ? A[r * K + ka] : 0.0f;
        tb[threadIdx.y][threadIdx.x] = (c < N && kb < kEnd) ? B[kb * N + c] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            part += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (r < M && c < N && kBegin < kEnd)
        atomicAdd(C + r * N + c, part);
}

std::vector<float> multiply(const std::vector<float> &A, const std::vector<float> &B,
                            int M, int N, int K, int parts)
{
    constexpr int T = 16;
    float *a, *b, *c;
    cudaMalloc(&a, A.size() * sizeof(float));
    cudaMalloc(&b, B.size() * sizeof(float));
    cudaMalloc(&c, sizeof(float) * M * N);
    cudaMemcpy(a, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, sizeof(float) * M * N);

    const int slice = (K + parts - 1) / parts;
    dim3 grid((N + T - 1) / T, (M + T - 1) / T, parts);
    splitk<T><<<grid, dim3(T, T)>>>(a, b, c, M, N, K, slice);

    std::vector<float> C((size_t)M * N);
    cudaError_t e = cudaMemcpy(C.data(), c, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) std::cerr << cudaGetErrorString(e) << "\n";
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return C;
}

int main()
{
    const int M = 20, N = 37, K = 10007;
    std::vector<float> A((size_t)M * K), B((size_t)K * N);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float(int(i * 7 % 11) - 5) / 4;
    for (size_t i = 0; i < B.size(); ++i) B[i] = float(int(i * 5 % 13) - 6) / 4;

    for (int parts : {1, 3, 8, 50}) {
        auto C = multiply(A, B, M, N, K, parts);
        double worst = 0;
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                double s = 0;
                for (int k = 0; k < K; ++k) s += double(A[i * K + k]) * B[k * N + j];
                worst = std::max(worst, std::fabs(s - C[i * N + j]));
            }
        std::cout << parts << " parts: max error " << worst << (worst < 1e-2 ? " ok" : " BAD") << "\n";
    }
}
