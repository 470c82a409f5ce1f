#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TS 16

__device__ void loadTile(float (*dst)[TS], const float *src, int r0, int c0, int rows, int cols)
{
    int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    dst[threadIdx.y][threadIdx.x] = (r < rows && c < cols) ? src[r * cols + c] : 0.0f;
}

__global__ void mmBuffered(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float bufA[2][TS][TS];
    __shared__ float bufB[2][TS][TS];
    int row0 = blockIdx.y * TS, col0 = blockIdx.x * TS;
    int steps = (K + TS - 1) / TS;
    float acc = 0.0f;

    loadTile(bufA[0], A, row0, 0, M, K);
    loadTile(bufB[0], B, 0, col0, K, N);
    __syncthreads();

    for (int s = 0; s < steps; s++) {
        int cur = s % 2;
        if (s + 1 < steps) {
            loadTile(bufA[1 - cur], A, row0, (s + 1) * TS, M, K);
            loadTile(bufB[cur], B, (s + 1) * TS, col0, K, N);
        }
        for (int k = 0; k < TS; k++)
            acc += bufA[cur][threadIdx.y][k] * bufB[cur][k][threadIdx.x];
        __syncthreads();
    }

    if (row0 + threadIdx.y < M && col0 + threadIdx.x < N)
        C[(row0 + threadIdx.y) * N + col0 + threadIdx.x] = acc;
}

bool verify(int M, int N, int K)
{
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (int i = 0; i < M * K; i++) A[i] = (i * 7) % 10;
    for (int i = 0; i < K * N; i++) B[i] = (i * 3) % 8;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof(float) * M * K);
    cudaMalloc(&b, sizeof(float) * K * N);
    cudaMalloc(&c, sizeof(float) * M * N);
    cudaMemcpy(a, A.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice);
    dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS), block(TS, TS);
    mmBuffered<<<grid, block>>>(a, b, c, M, N, K);
    cudaMemcpy(C.data(), c, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) return false;
        }
    return true;
}

int main()
{
    bool ok = verify(180, 140, 100);
    printf("%s\n", ok ? "verified" : "verification failed");
    return ok ? 0 : 1;
}
