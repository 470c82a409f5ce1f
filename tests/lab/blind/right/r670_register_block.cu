// SGEMM with a 4x4 piece of C in the registers of each thread.
// block of C: 64 x 64, 256 threads, step of 8 along k
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
#define NT ((BM / TM) * (BN / TN))

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void __launch_bounds__(NT)
sgemm_reg(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[BK][BM];   // stored transposed
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);
    const int tc = tid % (BN / TN);
    const int brow = blockIdx.y * BM;
    const int bcol = blockIdx.x * BN;

    float acc[TM][TN] = {};
    float ra[TM], rb[TN];

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += NT) {
            int r = i / BK, k = i % BK;
            As[k][r] = (brow + r < M && k0 + k < K) ? A[(brow + r) * K + k0 + k] : 0.f;
        }
        for (int i = tid; i < BK * BN; i += NT) {
            int k = i / BN, c = i % BN;
            Bs[k][c] = (k0 + k < K && bcol + c < N) ? B[(k0 + k) * N + bcol + c] : 0.f;
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < BK; k++) {
            for (int i = 0; i < TM; i++) ra[i] = As[k][tr * TM + i];
            for (int j = 0; j < TN; j++) rb[j] = Bs[k][tc * TN + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            int r = brow + tr * TM + i, c = bcol + tc * TN + j;
            if (r < M && c < N)
                C[r * N + c] = alpha * acc[i][j] + beta * C[r * N + c];
        }
}

int main()
{
    int M = 150, N = 130, K = 75;
    float alpha = 2.0f, beta = 0.5f;
    float *A, *B, *C;
    CHECK(cudaMallocManaged(&A, sizeof(float) * M * K));
    CHECK(cudaMallocManaged(&B, sizeof(float) * K * N));
    CHECK(cudaMallocManaged(&C, sizeof(float) * M * N));
    for (int i = 0; i < M * K; i++) A[i] = (i * 7 % 19) / 19.f;
    for (int i = 0; i < K * N; i++) B[i] = (i * 5 % 17) / 17.f;
    for (int i = 0; i < M * N; i++) C[i] = 1.f;

    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    sgemm_reg<<<grid, NT>>>(M, N, K, alpha, A, B, beta, C);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)A[i * K + k] * B[k * N + j];
            worst = fmax(worst, fabs(alpha * s + beta - C[i * N + j]));
        }
    printf("largest difference %g\n", worst);
    CHECK(cudaFree(A)); CHECK(cudaFree(B)); CHECK(cudaFree(C));
    return worst > 1e-3;
}
