// Lab 4: C = A * B^T.  A is M x K, B is N x K (so both are read along rows).
// ./abt M N K
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>
using namespace std;

__global__ void mul_abt(const float* A, const float* B, float* C, int M, int N, int K)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m < M && n < N) {
        float v = 0;
        const float* a = A + m * K;
        const float* b = B + n * K;
        for (int k = 0; k < K; k++) v += a[k] * b[k];
        C[m * N + n] = v;
    }
}

static int divUp(int a, int b) { return (a + b - 1) / b; }

vector<float> gpuMul(const vector<float>& A, const vector<float>& B, int M, int N, int K)
{
    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, (size_t)M * N * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(8, 16);
    dim3 blocks(divUp(N, threads.x), divUp(M, threads.y));
    mul_abt<<<blocks, threads>>>(dA, dB, dC, M, K, N);

    vector<float> C((size_t)M * N);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return C;
}

int main(int argc, char** argv)
{
    int M = 200, N = 150, K = 150;
    if (argc == 4) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    if (M <= 0 || N <= 0 || K <= 0) {
        cerr << "usage: abt M N K" << endl;
        return 1;
    }

    vector<float> A((size_t)M * K), B((size_t)N * K);
    for (auto& v : A) v = (rand() % 200 - 100) / 100.0f;
    for (auto& v : B) v = (rand() % 200 - 100) / 100.0f;

    vector<float> C = gpuMul(A, B, M, N, K);

    double worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)A[i * K + k] * B[j * K + k];
            worst = max(worst, fabs(s - C[i * N + j]));
        }
    cout << "worst error " << worst << (worst < 1e-3 ? "  PASS" : "  FAIL") << endl;
    return 0;
}
