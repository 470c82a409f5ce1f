// Multiplicação com ladrilhos retangulares: bloco de 32 x 8 threads,
// cada thread calcula R = 4 linhas de C, ladrilho de C com 32 x 32.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cfg {
constexpr int BX = 32, BY = 8, R = 4;
constexpr int TM = BY * R;    // 32 linhas
constexpr int TN = BX;        // 32 colunas
constexpr int TK = 8;
}

__global__ void gemmRet(const float *A, const float *B, float *C, int M, int N, int K)
{
    using namespace cfg;
    __shared__ float sA[TM][TK];
    __shared__ float sB[TK][TN];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int t = ty * BX + tx;                  // 0..255
    const int lin0 = blockIdx.y * TM, col0 = blockIdx.x * TN;

    float acc[R] = {0};
    for (int k0 = 0; k0 < K; k0 += TK) {
        // 32*8 = 256 elementos de A e 8*32 de B: um de cada por thread
        const int ar = t / TK, ak = t % TK;
        sA[ar][ak] = (lin0 + ar < M && k0 + ak < K) ? A[(lin0 + ar) * K + k0 + ak] : 0.f;
        sB[ty][tx] = (k0 + ty < K && col0 + tx < N) ? B[(k0 + ty) * N + col0 + tx] : 0.f;
        __syncthreads();
        for (int k = 0; k < TK; ++k) {
            const float b = sB[k][tx];
            for (int r = 0; r < R; ++r)
                acc[r] += sA[ty + r * BY][k] * b;
        }
        __syncthreads();
    }

    for (int r = 0; r < R; ++r) {
        const int i = lin0 + ty + r * BY, j = col0 + tx;
        if (i < M && j < N) C[i * N + j] = acc[r];
    }
}

static void lancar(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 bloco(cfg::BX, cfg::BY);
    dim3 grade((M + cfg::TM - 1) / cfg::TM, (N + cfg::TN - 1) / cfg::TN);
    gemmRet<<<grade, bloco>>>(A, B, C, M, N, K);
}

int main()
{
    const int M = 300, N = 110, K = 83;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (auto &v : a) v = (std::rand() % 100) * 0.01f;
    for (auto &v : b) v = (std::rand() % 100) * 0.01f;

    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dc, 0, c.size() * sizeof(float));

    lancar(da, db, dc, M, N, K);
    cudaError_t e = cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::printf("erro: %s\n", cudaGetErrorString(e));
        return 1;
    }

    int erros = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += (double)a[i * K + k] * b[k * N + j];
            if (std::fabs(s - c[i * N + j]) > 1e-3) ++erros;
        }
    std::printf("elementos errados: %d de %d\n", erros, M * N);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return erros != 0;
}
