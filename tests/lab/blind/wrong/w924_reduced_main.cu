#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// Reduced product of float matrices: A is 2m x k, B is k x 2n, C is m x n.
// A block of 32 x 4 threads makes 8 x 32 elements of C, two per thread.
const int X = 32, Y = 4, D = 16;

__global__ void reduced(const float* A, const float* B, float* C, int m, int k, int n)
{
    __shared__ float a[2 * Y][D];
    __shared__ float b[D][X];
    int t = threadIdx.y * X + threadIdx.x;
    int i0 = blockIdx.y * 2 * Y, j0 = blockIdx.x * X;
    float c0 = 0.f, c1 = 0.f;

    for (int s = 0; s < k; s += D) {
        int i = i0 + t / D, q = s + t % D;      // 128 threads, 8 x 16 elements
        a[t / D][t % D] = i < m ? A[2 * i * k + q] + A[(2 * i + 1) * k + q] : 0.f;
        for (int d = threadIdx.y; d < D; d += Y) {
            int j = j0 + threadIdx.x;
            float v = 0.f;
            if (j < n && s + d < k)
                v = B[(s + d) * 2 * n + 2 * j] + B[(s + d) * 2 * n + 2 * j + 1];
            b[d][threadIdx.x] = v;
        }
        __syncthreads();
        for (int d = 0; d < D; d++) {
            c0 += a[threadIdx.y][d] * b[d][threadIdx.x];
            c1 += a[threadIdx.y + Y][d] * b[d][threadIdx.x];
        }
        __syncthreads();
    }
    int i = i0 + threadIdx.y, j = j0 + threadIdx.x;
    if (j < n) {
        if (i < m) C[i * n + j] = c0;
        if (i + Y < m) C[(i + Y) * n + j] = c1;
    }
}

int main(int argc, char** argv)
{
    int m = argc > 3 ? atoi(argv[1]) : 21, k = argc > 3 ? atoi(argv[2]) : 50, n = argc > 3 ? atoi(argv[3]) : 37;
    std::vector<float> A(2 * m * k), B(2 * n * k), C(m * n);
    for (auto& x : A) x = rand() % 5;
    for (auto& x : B) x = rand() % 5;
    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
    reduced<<<dim3((n + X - 1) / X, (m + 2 * Y - 1) / (2 * Y)), dim3(X, Y)>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int q = 0; q < k; q++)
                s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) * (B[q * 2 * n + 2 * j] + B[q * 2 * n + 2 * j + 1]);
            if (s != C[i * n + j]) { printf("wrong at %d %d\n", i, j); return 1; }
        }
    puts("correct");
    return 0;
}
