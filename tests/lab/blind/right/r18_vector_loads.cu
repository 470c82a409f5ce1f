// SGEMM with float4 loads and 4x4 results per thread.
// Block tile 64x64, k tile 16, 16x16 threads.
//
// RESTRICTIONS: M and N must be multiples of 64, K must be a multiple of 16
// (no boundary handling here on purpose, the float4 loads need aligned rows).
#include <cstdio>
#include <cstdlib>
#include <cassert>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;
constexpr int TN = 4;

__global__ __launch_bounds__(256) void sgemm_vec4(int M, int N, int K, const float* __restrict__ A,
                                                  const float* __restrict__ B, float* __restrict__ C)
{
    __shared__ __align__(16) float As[BK][BM];   // stored transposed: As[k][m]
    __shared__ __align__(16) float Bs[BK][BN];

    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int rowBase = blockIdx.y * BM;
    const int colBase = blockIdx.x * BN;

    // loading pattern: 64 rows of A with 4 float4 each = 256 float4, one per thread
    const int aRow = tid / 4;
    const int aCol = (tid % 4) * 4;
    // 16 rows of B with 16 float4 each = 256 float4
    const int bRow = tid / 16;
    const int bCol = (tid % 16) * 4;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 av = *reinterpret_cast<const float4*>(&A[(rowBase + aRow) * K + k0 + aCol]);
        As[aCol + 0][aRow] = av.x;
        As[aCol + 1][aRow] = av.y;
        As[aCol + 2][aRow] = av.z;
        As[aCol + 3][aRow] = av.w;
        *reinterpret_cast<float4*>(&Bs[bRow][bCol]) =
            *reinterpret_cast<const float4*>(&B[(k0 + bRow) * N + colBase + bCol]);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 a = *reinterpret_cast<const float4*>(&As[k][threadIdx.y * TM]);
            const float4 b = *reinterpret_cast<const float4*>(&Bs[k][threadIdx.x * TN]);
            const float ar[TM] = {a.x, a.y, a.z, a.w};
            const float br[TN] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += ar[i] * br[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        const float4 out = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4*>(&C[(rowBase + threadIdx.y * TM + i) * N + colBase + threadIdx.x * TN]) = out;
    }
}

int main()
{
    const int M = 192, N = 128, K = 80;
    assert(M % BM == 0 && N % BN == 0 && K % BK == 0);
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (size_t i = 0; i < A.size(); i++) A[i] = float(rand()) / RAND_MAX - 0.5f;
    for (size_t i = 0; i < B.size(); i++) B[i] = float(rand()) / RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    sgemm_vec4<<<dim3(N / BN, M / BM), dim3(BN / TN, BM / TM)>>>(M, N, K, dA, dB, dC);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float r = 0;
            for (int k = 0; k < K; k++) r += A[i * K + k] * B[k * N + j];
            if (!(std::fabs(r - C[i * N + j]) <= 1e-3f)) ok = false;
        }
    printf(ok ? "OK\n" : "BAD\n");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return ok ? 0 : 1;
}
