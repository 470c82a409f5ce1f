#include <cstdio>
#include <cstdlib>
#include <vector>

// blocks are 64 wide and 4 high, because a warp should read B along a row
const int BX = 64;
const int BY = 4;

__global__ void mmul(int M, int N, int K, const int* A, const int* B, int* C)
{
    int col = blockIdx.x * BX + threadIdx.x;
    int row = blockIdx.y * BY + threadIdx.y;
    if (row < M && col < N) {
        int sum = 0;
        const int* a = A + row * K;
        const int* b = B + col;
        for (int k = 0; k < K; k++, a++, b += N)
            sum += *a * *b;
        C[row * N + col] = sum;
    }
}

int main()
{
    int M = 120, N = 200, K = 64;
    std::vector<int> A(M * K), B(K * N), C(M * N, 0);
    for (int& x : A) x = rand() % 10;
    for (int& x : B) x = rand() % 10;

    int *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(int));
    cudaMalloc(&dB, B.size() * sizeof(int));
    cudaMalloc(&dC, C.size() * sizeof(int));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, C.size() * sizeof(int));

    dim3 block(BX, BY);
    dim3 grid((M + BY - 1) / BY, (N + BX - 1) / BX);
    mmul<<<grid, block>>>(M, N, K, dA, dB, dC);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int diff = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            diff += (s != C[i * N + j]);
        }
    printf("%d elements differ\n", diff);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return diff ? 1 : 0;
}
