// Assignment 6: register blocking
// C = A * B, row-major, M x K times K x N, any sizes.
// 16 x 16 threads work out a 64 x 32 block of C, eight elements per thread.
#include <cstdio>
#include <cstdlib>
#include <cmath>

constexpr int TX = 16, TY = 16;
constexpr int RM = 4, RN = 2;
constexpr int BM = TY * RM;     // 64
constexpr int BN = TX * RN;     // 32
constexpr int BK = 8;

__global__ void blocked(const float* __restrict__ A, const float* __restrict__ B,
                        float* __restrict__ C, int M, int N, int K)
{
    __shared__ float As[BM][BK + 1];
    __shared__ float Bs[BK][BN];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * TX + tx;
    const int rowBase = blockIdx.y * BM;
    const int colBase = blockIdx.x * BN;

    float acc[RM][RN];
    for (int i = 0; i < RM; ++i)
        for (int j = 0; j < RN; ++j)
            acc[i][j] = 0.0f;

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += TX * TY) {
            int r = e / BK, k = e % BK;
            As[r][k] = (rowBase + r < M && k0 + k < K) ? A[(rowBase + r) * K + k0 + k] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += TX * TY) {
            int k = e / BN, c = e % BN;
            Bs[k][c] = (k0 + k < K && colBase + c < N) ? B[(k0 + k) * N + colBase + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            float a[RM], b[RN];
            for (int i = 0; i < RM; ++i) a[i] = As[ty + i * TY][k];
            for (int j = 0; j < RN; ++j) b[j] = Bs[k][tx * RN + j];
            for (int i = 0; i < RM; ++i)
                for (int j = 0; j < RN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < RM; ++i) {
        for (int j = 0; j < RN; ++j) {
            int row = rowBase + ty + i * TY;
            int col = colBase + tx + j * TX;
            if (row < M && col < N)
                C[row * N + col] = acc[i][j];
        }
    }
}

int main(int argc, char** argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 130;
    int N = argc > 2 ? atoi(argv[2]) : 75;
    int K = argc > 3 ? atoi(argv[3]) : 50;

    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, K * N * sizeof(float));
    cudaMallocManaged(&C, M * N * sizeof(float));
    for (int i = 0; i < M * K; ++i) A[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < K * N; ++i) B[i] = rand() / (float)RAND_MAX;

    dim3 threads(TX, TY);
    dim3 blocks((N + BN - 1) / BN, (M + BM - 1) / BM);
    blocked<<<blocks, threads>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();

    float worst = 0.0f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.0f;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            worst = fmaxf(worst, fabsf(s - C[i * N + j]));
        }
    printf("largest difference: %g\n", worst);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return worst > 1e-3f;
}
