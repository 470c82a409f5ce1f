// 64x64 tile of C per block, 16x16 threads, 4x4 results per thread, float4 loads.
// M and N must be multiples of 64, K a multiple of 16.
#include <cstdio>
#include <cstdlib>
#include <cmath>

constexpr int BM = 64, BN = 64, BK = 16;

__global__ void sgemm64(int M, int N, int K,
                        const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C)
{
    __shared__ float As[BK][BM];                 // A is stored transposed
    __shared__ __align__(16) float Bs[BK][BN];

    const int tid = threadIdx.y * 16 + threadIdx.x;

    // A tile: 64 rows x 16 columns = 256 float4, one for each thread
    const int aRow = tid / 4;
    const int aCol = (tid % 4) * 4;
    // B tile: 16 rows x 64 columns = 256 float4
    const int bRow = tid / 16;
    const int bCol = (tid % 16) * 4;

    const float* Ab = A + blockIdx.y * BM * K;
    const float* Bb = B + blockIdx.x * BN;

    float acc[4][4] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        float4 va = *reinterpret_cast<const float4*>(&Ab[aRow * K + k0 + aCol]);
        As[aCol + 0][aRow] = va.x;
        As[aCol + 1][aRow] = va.y;
        As[aCol + 2][aRow] = va.z;
        As[aCol + 3][aRow] = va.w;
        *reinterpret_cast<float4*>(&Bs[bRow][bCol]) =
            *reinterpret_cast<const float4*>(&Bb[(k0 + bRow) * N + bCol]);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float ra[4], rb[4];
            for (int i = 0; i < 4; ++i) ra[i] = As[k][threadIdx.y * 4 + i];
            for (int j = 0; j < 4; ++j) rb[j] = Bs[k][threadIdx.x * 4 + j];
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; ++i) {
        int row = blockIdx.y * BM + threadIdx.y * 4 + i;
        int col = blockIdx.x * BN + threadIdx.x * 4;
        float4 out = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4*>(&C[row * N + col]) = out;
    }
}

int main()
{
    const int M = 128, N = 192, K = 80;
    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, K * N * sizeof(float));
    cudaMallocManaged(&C, M * N * sizeof(float));
    for (int i = 0; i < M * K; ++i) A[i] = (rand() % 17) * 0.25f;
    for (int i = 0; i < K * N; ++i) B[i] = (rand() % 17) * 0.25f - 2.0f;

    sgemm64<<<dim3(N / BN, M / BM), dim3(16, 16)>>>(M, N, K, A, B, C);
    cudaDeviceSynchronize();

    float worst = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            worst = fmaxf(worst, fabsf(s - C[i * N + j]));
        }
    printf("max diff = %f\n", worst);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return worst > 0.01f;
}
