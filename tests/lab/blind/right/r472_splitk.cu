// split-K matmul: gridDim.z slices of the inner dimension, results joined by atomicAdd
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
using std::vector;

const int TS = 16;

__global__ void splitk(const float* A, const float* B, float* C, int M, int N, int K, int slice)
{
    __shared__ float sA[TS][TS], sB[TS][TS];
    int y = blockIdx.y * TS + threadIdx.y;
    int x = blockIdx.x * TS + threadIdx.x;
    int from = blockIdx.z * slice;
    int to   = min(from + slice, K);
    float part = 0.f;
    for (int k0 = from; k0 < to; k0 += TS) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (y < M && ka < to) ? A[y * K + ka] : 0.f;
        sB[threadIdx.y][threadIdx.x] = (x < N && kb < to) ? B[kb * N + x] : 0.f;
        __syncthreads();
        for (int k = 0; k < TS; ++k) part += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    if (y < M && x < N) atomicAdd(C + y * N + x, part);
}

int main()
{
    const int M = 50, N = 70, K = 1003, parts = 6;
    vector<float> A(M * K), B(K * N), C(M * N);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float(int(i * 37 % 11) - 5);
    for (size_t i = 0; i < B.size(); ++i) B[i] = float(int(i * 17 % 13) - 6);

    float *a, *b, *c;
    cudaMalloc(&a, A.size() * sizeof(float));
    cudaMalloc(&b, B.size() * sizeof(float));
    cudaMalloc(&c, C.size() * sizeof(float));
    cudaMemcpy(a, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(c, 0, C.size() * sizeof(float));

    int slice = (K + parts - 1) / parts;
    dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS, parts);
    splitk<<<grid, dim3(TS, TS)>>>(a, b, c, M, N, K, slice);
    cudaMemcpy(C.data(), c, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) ++wrong;      // all values are small whole numbers
        }
    printf("%s (%d)\n", wrong ? "BAD" : "ok", wrong);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return wrong != 0;
}
