// Reduced matrix multiplication (RMM), simple version.
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A is M x K, B is K x N, M and N even, C is M/2 x N/2.
#include <cstdio>
#include <cstdlib>

__device__ int rowPair(const int *A, int i, int k, int K)
{
    return A[(2 * i) * K + k] + A[(2 * i + 1) * K + k];
}

__device__ int colPair(const int *B, int j, int k, int N)
{
    return B[k * N + 2 * j] + B[k * N + 2 * j + 1];
}

__global__ void rmm(const int *A, const int *B, int *C, int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M / 2 && j < N / 2) {
        int sum = 0;
        for (int k = 0; k < K; k++)
            sum += rowPair(A, i, k, K) * colPair(B, j, k, N);
        C[i * N + j] = sum;
    }
}

int main(void)
{
    int M = 60, N = 84, K = 35;
    int *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(int));
    cudaMallocManaged(&B, K * N * sizeof(int));
    cudaMallocManaged(&C, (M / 2) * (N / 2) * sizeof(int));

    srand(1);
    for (int i = 0; i < M * K; i++) A[i] = rand() % 9 - 4;
    for (int i = 0; i < K * N; i++) B[i] = rand() % 9 - 4;

    dim3 threads(32, 8);
    dim3 blocks((N / 2 + threads.x - 1) / threads.x, (M / 2 + threads.y - 1) / threads.y);
    rmm<<<blocks, threads>>>(A, B, C, M, N, K);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("CUDA error: %s\n", cudaGetErrorString(err));
        return 1;
    }

    int bad = 0;
    for (int i = 0; i < M / 2; i++)
        for (int j = 0; j < N / 2; j++) {
            int s = 0;
            for (int k = 0; k < K; k++)
                s += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) *
                     (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            if (s != C[i * (N / 2) + j]) bad++;
        }
    printf("%s (%d)\n", bad ? "FAILED" : "PASSED", bad);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
