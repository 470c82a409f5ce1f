// Reduced matrix product with a fixed number of blocks: each block walks over
// the output tiles with a stride of gridDim.x.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

template <int TILE>
__global__ void reduced_mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sa[TILE][TILE];
    __shared__ float sb[TILE][TILE];

    const int outRows = M / 2;
    const int outCols = N / 2;
    const int tilesX = (outCols + TILE - 1) / TILE;
    const int tilesY = (outRows + TILE - 1) / TILE;

    for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
        const int row = tile / tilesX * TILE + threadIdx.y;
        const int col = tile % tilesX * TILE + threadIdx.x;
        float acc = 0.0f;

        for (int k0 = 0; k0 < K; k0 += TILE) {
            const int ka = k0 + threadIdx.x;
            const int kb = k0 + threadIdx.y;
            if (row < outRows && ka < K)
                sa[threadIdx.y][threadIdx.x] = A[2 * row * K + ka] + A[(2 * row + 1) * K + ka];
            else
                sa[threadIdx.y][threadIdx.x] = 0.0f;
            if (kb < K && col < outCols)
                sb[threadIdx.y][threadIdx.x] = B[kb * N + 2 * col] + B[kb * N + 2 * col + 1];
            else
                sb[threadIdx.y][threadIdx.x] = 0.0f;
            __syncthreads();

            for (int k = 0; k < TILE; ++k)
                acc += sa[threadIdx.y][k] * sb[k][threadIdx.x];
            __syncthreads();
        }

        if (row < outRows && col < outCols)
            C[row * outCols + col] = acc;
    }
}

int main()
{
    const int M = 150, N = 220, K = 90;
    std::vector<float> A(M * K), B(K * N), C(M / 2 * (N / 2), 0.0f);
    for (float &v : A) v = rand() % 10 * 0.1f;
    for (float &v : B) v = rand() % 10 * 0.1f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    reduced_mm<16><<<10, dim3(16, 16)>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int mismatches = 0;
    for (int i = 0; i < M / 2; ++i) {
        for (int j = 0; j < N / 2; ++j) {
            float expected = 0.0f;
            for (int k = 0; k < K; ++k)
                expected += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) *
                            (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            if (std::fabs(expected - C[i * (N / 2) + j]) > 1e-2f)
                ++mismatches;
        }
    }
    std::printf("%s (%d)\n", mismatches ? "FAILED" : "PASSED", mismatches);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return mismatches != 0;
}
