#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TS 16

__device__ float tileDot(const float (*p)[TS], const float (*q)[TS], int r, int c)
{
    float d = 0.0f;
    for (int k = 0; k < TS; ++k)
        d += p[r][k] * q[k][c];
    return d;
}

__global__ void tiledProduct(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float p[TS][TS];
    __shared__ float q[TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;

    float sum = 0.0f;
    for (int base = 0; base < K; base += TS) {
        p[ty][tx] = (row < M && base + tx < K) ? A[row * K + base + tx] : 0.0f;
        q[ty][tx] = (base + ty < K && col < N) ? B[(base + ty) * N + col] : 0.0f;
        __syncthreads();
        sum = tileDot(p, q, ty, tx);
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

struct Case { int M, N, K; };

int main()
{
    const Case cases[] = { {16, 16, 16}, {128, 256, 64}, {37, 41, 43} };
    int failures = 0;
    for (const Case &c : cases) {
        std::vector<float> A(c.M * c.K), B(c.K * c.N), C(c.M * c.N);
        for (size_t i = 0; i < A.size(); ++i) A[i] = int(i % 7) - 3;
        for (size_t i = 0; i < B.size(); ++i) B[i] = int(i % 9) - 4;
        float *a, *b, *d;
        cudaMalloc(&a, A.size() * sizeof(float));
        cudaMalloc(&b, B.size() * sizeof(float));
        cudaMalloc(&d, C.size() * sizeof(float));
        cudaMemcpy(a, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(b, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
        dim3 grid((c.N + TS - 1) / TS, (c.M + TS - 1) / TS);
        dim3 block(TS, TS);
        tiledProduct<<<grid, block>>>(a, b, d, c.M, c.N, c.K);
        cudaMemcpy(C.data(), d, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
        bool equal = true;
        for (int i = 0; i < c.M; ++i)
            for (int j = 0; j < c.N; ++j) {
                float s = 0;
                for (int k = 0; k < c.K; ++k) s += A[i * c.K + k] * B[k * c.N + j];
                equal &= (s == C[i * c.N + j]);
            }
        printf("%4d x %4d x %4d : %s\n", c.M, c.N, c.K, equal ? "ok" : "wrong");
        failures += !equal;
        cudaFree(a); cudaFree(b); cudaFree(d);
    }
    return failures;
}
