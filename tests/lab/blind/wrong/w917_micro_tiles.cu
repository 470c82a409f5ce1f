#include <cuda_runtime.h>

// Row-major C (M x N) = A (M x K) * B (K x N), arbitrary sizes.
// 8 x 16 = 128 threads, each with a 4 x 3 patch of a 32 x 48 tile.

struct Shape {
    static constexpr int TY = 8, TX = 16;
    static constexpr int RY = 4, RX = 3;
    static constexpr int H = TY * RY, W = TX * RX, D = 8;
};

__global__ void micro(const double *A, const double *B, double *C, int M, int K, int N)
{
    using S = Shape;
    __shared__ double sA[S::H][S::D + 1];
    __shared__ double sB[S::D][S::W];

    int tx = threadIdx.x, ty = threadIdx.y;
    int id = ty * S::TX + tx;
    int row0 = blockIdx.y * S::H;
    int col0 = blockIdx.x * S::W;

    double r[S::RY][S::RX];
    for (int i = 0; i < S::RY; i++)
        for (int j = 0; j < S::RX; j++)
            r[i][j] = 0;

    for (int k0 = 0; k0 < K; k0 += S::D) {
        for (int e = id; e < S::H * S::D; e += S::TX * S::TY) {
            int y = e / S::D, x = e % S::D;
            bool in = row0 + y < M && k0 + x < K;
            sA[y][x] = in ? A[(row0 + y) * K + k0 + x] : 0;
        }
        for (int e = id; e < S::D * S::W; e += S::TX * S::TY) {
            int y = e / S::W, x = e % S::W;
            bool in = k0 + y < K && col0 + x < N;
            sB[y][x] = in ? B[(k0 + y) * N + col0 + x] : 0;
        }
        __syncthreads();

        for (int k = 0; k < S::D; k++)
            for (int i = 0; i < S::RY; i++) {
                double a = sA[ty * S::RY + i][k];
                for (int j = 0; j < S::RX; j++)
                    r[i][j] += a * sB[k][tx + j * S::TX];
            }
        __syncthreads();
    }

    for (int i = 0; i < S::RY; i++)
        for (int j = 0; j < S::RX; j++) {
            int row = row0 + ty * S::RY + i;
            int col = col0 + tx * S::RX + j;
            if (row < M && col < N)
                C[row * N + col] = r[i][j];
        }
}

void run_micro(const double *A, const double *B, double *C, int M, int K, int N)
{
    dim3 threads(Shape::TX, Shape::TY);
    dim3 blocks((N + Shape::W - 1) / Shape::W, (M + Shape::H - 1) / Shape::H);
    micro<<<blocks, threads>>>(A, B, C, M, K, N);
}
