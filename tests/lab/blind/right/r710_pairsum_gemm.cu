// "Pair-sum" GEMM with shared tiles.
// C[i][j] = sum_l (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// The pair sums are done while loading, so the inner loop is an ordinary tile product.
#include <cstdio>
#include <vector>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t e_ = (call);                                           \
        if (e_ != cudaSuccess) {                                           \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,              \
                    cudaGetErrorString(e_));                               \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

static constexpr int BX = 32;   // tile width  (columns of C, also depth of the tile)
static constexpr int BY = 8;    // threads in y, every thread owns BX/BY rows

__global__ void pairSumGemm(const int* __restrict__ A, const int* __restrict__ B,
                            int* __restrict__ C, int M, int N, int K)
{
    __shared__ int a[BX][BX + 1];
    __shared__ int b[BX][BX + 1];

    const int rows = M / 2, cols = N / 2;
    const int c = blockIdx.x * BX + threadIdx.x;
    const int rBase = blockIdx.y * BX;
    int acc[BX / BY] = {0};

    for (int l0 = 0; l0 < K; l0 += BX) {
        for (int y = threadIdx.y; y < BX; y += BY) {
            const int r = rBase + y;
            const int la = l0 + threadIdx.x;
            int va = 0, vb = 0;
            if (r < rows && la < K)
                va = A[(2 * r) * K + la] + A[(2 * r + 1) * K + la];
            const int lb = l0 + y;
            if (lb < K && c < cols)
                vb = B[lb * N + 2 * c] + B[lb * N + 2 * c + 1];
            a[y][threadIdx.x] = va;
            b[y][threadIdx.x] = vb;
        }
        __syncthreads();
        for (int l = 0; l < BX; ++l) {
            const int bv = b[l][threadIdx.x];
            for (int q = 0; q < BX / BY; ++q)
                acc[q] += a[threadIdx.y + q * BY][l] * bv;
        }
        __syncthreads();
    }

    for (int q = 0; q < BX / BY; ++q) {
        const int r = rBase + threadIdx.y + q * BY;
        if (r < rows && c < cols) C[r * cols + c] = acc[q];
    }
}

int main()
{
    const int M = 140, N = 202, K = 77;       // M and N even, K anything
    std::vector<int> A(M * K), B(K * N), C(M / 2 * (N / 2));
    for (auto& v : A) v = rand() % 21 - 10;
    for (auto& v : B) v = rand() % 21 - 10;

    int *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, A.size() * sizeof(int)));
    CHECK(cudaMalloc(&dB, B.size() * sizeof(int)));
    CHECK(cudaMalloc(&dC, C.size() * sizeof(int)));
    CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice));

    dim3 block(BX, BY);
    dim3 grid((N / 2 + BX - 1) / BX, (M / 2 + BX - 1) / BX);
    pairSumGemm<<<grid, block>>>(dA, dB, dC, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            int s = 0;
            for (int l = 0; l < K; ++l)
                s += (A[2 * i * K + l] + A[(2 * i + 1) * K + l]) * (B[l * N + 2 * j] + B[l * N + 2 * j + 1]);
            bad += (s != C[i * (N / 2) + j]);
        }
    printf("%d wrong elements\n", bad);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad != 0;
}
