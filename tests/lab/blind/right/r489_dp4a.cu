// int8 x int8 -> int32 with __dp4a.  A is M x K, Bt is N x K (B transposed),
// both row major, K a multiple of 4.
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int TY, int TX>
__global__ void igemm_nt(const int *A4, const int *Bt4, int32_t *C, int M, int N, int K4)
{
    // rows of 4-byte words; the extra column avoids bank conflicts
    __shared__ int sA[TY][TX + 1];
    __shared__ int sB[TX][TX + 1];

    int row = blockIdx.y * TY + threadIdx.y;
    int col = blockIdx.x * TX + threadIdx.x;
    int acc = 0;

    for (int base = 0; base < K4; base += TX) {
        int w = base + threadIdx.x;
        sA[threadIdx.y][threadIdx.x] = (row < M && w < K4) ? A4[row * K4 + w] : 0;
        for (int c = threadIdx.y; c < TX; c += TY) {
            int gc = blockIdx.x * TX + c;
            sB[c][threadIdx.x] = (gc < N && w < K4) ? Bt4[gc * K4 + w] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < TX; ++q)
            acc = __dp4a(sA[threadIdx.y][q], sB[threadIdx.x][q], acc);
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}

int main()
{
    const int M = 150, N = 93, K = 212;
    std::vector<int8_t> a(M * K), bt(N * K);
    std::vector<int32_t> c(M * N);
    unsigned seed = 12345u;
    auto next = [&seed]() {
        seed = seed * 1664525u + 1013904223u;
        return (int8_t)(seed >> 24);
    };
    for (auto &v : a) v = next();
    for (auto &v : bt) v = next();

    int *da, *db;
    int32_t *dc;
    cudaMalloc(&da, a.size());
    cudaMalloc(&db, bt.size());
    cudaMalloc(&dc, c.size() * sizeof(int32_t));
    cudaMemcpy(da, a.data(), a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(db, bt.data(), bt.size(), cudaMemcpyHostToDevice);

    constexpr int TY = 8, TX = 32;
    dim3 grid((N + TX - 1) / TX, (M + TY - 1) / TY);
    igemm_nt<TY, TX><<<grid, dim3(TX, TY)>>>(da, db, dc, M, N, K / 4);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(int32_t), cudaMemcpyDeviceToHost);

    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            int32_t s = 0;
            for (int p = 0; p < K; ++p) s += (int)a[i * K + p] * (int)bt[j * K + p];
            if (s != c[i * N + j]) {
                printf("mismatch at %d %d: %d instead of %d\n", i, j, c[i * N + j], s);
                return 1;
            }
        }
    puts("ok");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
