// 整数矩阵乘法:每个线程块负责 C 的一行中的 128 列
// A 的这一行先放进动态共享内存
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cuda_runtime.h>

using namespace std;

const int NUM_THREADS = 128;

__global__ void MatMulInt(const int *A, const int *B, int *C, int M, int N, int K)
{
    extern __shared__ int rowA[];

    int row = blockIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    // 所有线程一起读取 A 的一行
    for (int i = threadIdx.x; i < K; i += blockDim.x)
        rowA[i] = A[row * K + i];
    __syncthreads();

    if (col < N)
    {
        int sum = 0;
        for (int i = 0; i < K; i++)
            sum += rowA[i] * B[i * N + col];
        C[row * N + col] = sum;
    }
}

int main(int argc, char *argv[])
{
    int M = 100, N = 333, K = 57;
    if (argc == 4)
    {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    // 共享内存最多 48KB,网格 y 方向最多 65535
    if (M < 1 || N < 1 || K < 1 || K > 12288 || M > 65535)
    {
        cout << "bad size" << endl;
        return 1;
    }
    if ((long long)M * K > 100000000LL || (long long)K * N > 100000000LL || (long long)M * N > 100000000LL)
    {
        cout << "too large" << endl;
        return 1;
    }

    vector<int> hA(M * K), hB(K * N), hC(M * N);
    // 数值在 -10 到 10 之间,不会溢出
    for (size_t i = 0; i < hA.size(); i++) hA[i] = rand() % 21 - 10;
    for (size_t i = 0; i < hB.size(); i++) hB[i] = rand() % 21 - 10;

    int *dA, *dB, *dC;
    cudaMalloc((void **)&dA, sizeof(int) * M * K);
    cudaMalloc((void **)&dB, sizeof(int) * K * N);
    cudaMalloc((void **)&dC, sizeof(int) * M * N);
    cudaMemcpy(dA, &hA[0], sizeof(int) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, &hB[0], sizeof(int) * K * N, cudaMemcpyHostToDevice);

    dim3 grid((N + NUM_THREADS - 1) / NUM_THREADS, M);
    MatMulInt<<<grid, NUM_THREADS, K * sizeof(int)>>>(dA, dB, dC, M, N, K);
    cudaDeviceSynchronize();
    cudaMemcpy(&hC[0], dC, sizeof(int) * M * N, cudaMemcpyDeviceToHost);

    // 与 CPU 结果比较
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
        {
            int s = 0;
            for (int p = 0; p < K; p++) s += hA[i * K + p] * hB[p * N + j];
            if (s != hC[i * N + j]) wrong++;
        }
    cout << (wrong == 0 ? "PASS" : "FAIL") << " (" << wrong << ")" << endl;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return wrong != 0;
}
