// HW 8: reduced matrix multiply
// R (M/2 x N/2): each element is the sum over a 2x2 square of the product A*B.
// A is M x K, B is K x N, row-major; M and N must be even.
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned int uint32;

__global__ void quarter(const uint32* A, const uint32* B, uint32* R, int M, int N, int K)
{
    const int height = M / 2;
    const int width  = N / 2;
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= height || j > width)
        return;

    const uint32* a0 = A + (2 * i) * K;
    const uint32* a1 = a0 + K;
    const uint32* b  = B + 2 * j;
    uint32 sum = 0;
    for (int k = 0; k < K; ++k, b += N)
        sum += (a0[k] + a1[k]) * (b[0] + b[1]);
    R[i * width + j] = sum;
}

int main(int argc, char** argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 60;
    int N = argc > 2 ? atoi(argv[2]) : 84;
    int K = argc > 3 ? atoi(argv[3]) : 31;
    if (M % 2 != 0 || N % 2 != 0) {
        fprintf(stderr, "M and N must be even\n");
        return 1;
    }
    std::vector<uint32> A(M * K), B(K * N), R(M / 2 * (N / 2)), P(M * N);
    for (auto& v : A) v = rand() % 100;
    for (auto& v : B) v = rand() % 100;

    uint32 *dA, *dB, *dR;
    cudaMalloc(&dA, sizeof(uint32) * A.size());
    cudaMalloc(&dB, sizeof(uint32) * B.size());
    cudaMalloc(&dR, sizeof(uint32) * R.size());
    cudaMemcpy(dA, A.data(), sizeof(uint32) * A.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(uint32) * B.size(), cudaMemcpyHostToDevice);

    dim3 block(32, 8);
    dim3 grid((N / 2 + block.x - 1) / block.x, (M / 2 + block.y - 1) / block.y);
    quarter<<<grid, block>>>(dA, dB, dR, M, N, K);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(R.data(), dR, sizeof(uint32) * R.size(), cudaMemcpyDeviceToHost);

    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j)
            for (int k = 0; k < K; ++k)
                P[i * N + j] += A[i * K + k] * B[k * N + j];
    int bad = 0;
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            uint32 want = P[2 * i * N + 2 * j] + P[2 * i * N + 2 * j + 1]
                        + P[(2 * i + 1) * N + 2 * j] + P[(2 * i + 1) * N + 2 * j + 1];
            bad += want != R[i * (N / 2) + j];
        }
    printf("%d wrong elements\n", bad);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return bad != 0;
}
