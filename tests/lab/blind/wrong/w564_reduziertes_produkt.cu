// Reduziertes Matrixprodukt: C[i][j] ist die Summe des 2x2-Blocks (i,j) von A*B.
// A: m x k, B: k x n, zeilenweise; m und n gerade, k beliebig.
// Aufruf mit dim3 block(B8, B8), dim3 grid((n/2 + B8-1)/B8, (m/2 + B8-1)/B8)
#include <cuda_runtime.h>

constexpr int B8 = 8;
constexpr int TIEFE = 16;

__global__ void reduziertesProdukt(const double* A, const double* B, double* C,
                                   int m, int k, int n)
{
    __shared__ double kachelA[2 * B8][TIEFE];
    __shared__ double kachelB[TIEFE][2 * B8];

    const int tid = threadIdx.y * B8 + threadIdx.x;
    const int zeile0 = blockIdx.y * 2 * B8;
    const int spalte0 = blockIdx.x * 2 * B8;

    double p[2][2] = {{0.0, 0.0}, {0.0, 0.0}};

    for (int t = 0; t < k / TIEFE; ++t)
    {
        // 64 Threads laden je 4 Elemente von A und von B
        for (int e = tid; e < 2 * B8 * TIEFE; e += B8 * B8)
        {
            int zA = e / TIEFE, sA = e % TIEFE;
            int zB = e / (2 * B8), sB = e % (2 * B8);
            int kA = t * TIEFE + sA;
            int kB = t * TIEFE + zB;
            kachelA[zA][sA] = (zeile0 + zA < m && kA < k) ? A[(zeile0 + zA) * k + kA] : 0.0;
            kachelB[zB][sB] = (kB < k && spalte0 + sB < n) ? B[kB * n + spalte0 + sB] : 0.0;
        }
        __syncthreads();

        for (int q = 0; q < TIEFE; ++q)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j)
                    p[i][j] += kachelA[2 * threadIdx.y + i][q] * kachelB[q][2 * threadIdx.x + j];
        __syncthreads();
    }

    const int i = blockIdx.y * B8 + threadIdx.y;
    const int j = blockIdx.x * B8 + threadIdx.x;
    if (i < m / 2 && j < n / 2)
        C[i * (n / 2) + j] = p[0][0] + p[0][1] + p[1][0] + p[1][1];
}
