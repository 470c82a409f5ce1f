// All three sizes are template arguments and must be multiples of T = 16
// (checked by static_assert); no boundary checks are needed then.
#include <cuda_runtime.h>
#include <cstdio>

template <int M, int N, int K>
__global__ void mmStatic(const float (*A)[K], const float (*B)[N], float (*C)[N])
{
    constexpr int T = 16;
    static_assert(M % T == 0 && N % T == 0 && K % T == 0, "multiples of 16 only");
    __shared__ float sA[T][T], sB[T][T];

    const int i = blockIdx.y * T + threadIdx.y;
    const int j = blockIdx.x * T + threadIdx.x;
    float r = 0.f;

    for (int t = 0; t < K / T; ++t) {
        sA[threadIdx.y][threadIdx.x] = A[i][t * T + threadIdx.x];
        sB[threadIdx.y][threadIdx.x] = B[t * T + threadIdx.y][j];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k)
            r += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    C[i][j] = r;
}

int main()
{
    constexpr int M = 48, N = 64, K = 32;
    float (*A)[K];
    float (*B)[N];
    float (*C)[N];
    cudaMallocManaged(&A, sizeof(float) * M * K);
    cudaMallocManaged(&B, sizeof(float) * K * N);
    cudaMallocManaged(&C, sizeof(float) * M * N);
    for (int i = 0; i < M; ++i) for (int k = 0; k < K; ++k) A[i][k] = i - k;
    for (int k = 0; k < K; ++k) for (int j = 0; j < N; ++j) B[k][j] = k + j;
    mmStatic<M, N, K><<<dim3(N / 16, M / 16), dim3(16, 16)>>>(A, B, C);
    cudaDeviceSynchronize();
    printf("%f\n", C[1][1]);
    return 0;
}
