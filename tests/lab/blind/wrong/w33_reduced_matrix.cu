// Exercise "reduced product": neighbouring rows of A and neighbouring columns of B are added
// C[i][j] = sum over k of (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A: H x K, B: K x W, C: H/2 x W/2 with H and W even
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

__global__ void reduced(const float *A, const float *B, float *C, int H, int W, int K)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int n = W / 2;

    if (i < H / 2 && j < n) {
        float s = 0.0f;
        for (int k = 0; k < K; k++) {
            float a = A[2 * i * K + k] + A[(2 * i + 1) * n + k];
            float b = B[k * W + 2 * j] + B[k * W + 2 * j + 1];
            s += a * b;
        }
        C[i * n + j] = s;
    }
}

int main()
{
    const int H = 64, W = 48, K = 100;
    const int h = H / 2, w = W / 2;
    float *A, *B, *C;
    cudaMallocManaged(&A, H * K * sizeof(float));
    cudaMallocManaged(&B, K * W * sizeof(float));
    cudaMallocManaged(&C, h * w * sizeof(float));
    srand(1);
    for (int i = 0; i < H * K; i++) A[i] = rand() % 10;
    for (int i = 0; i < K * W; i++) B[i] = rand() % 10;

    dim3 block(16, 16);
    dim3 grid((w + 15) / 16, (h + 15) / 16);
    reduced<<<grid, block>>>(A, B, C, H, W, K);
    cudaDeviceSynchronize();

    int errors = 0;
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) * (B[k * W + 2 * j] + B[k * W + 2 * j + 1]);
            if (std::fabs(s - C[i * w + j]) > 0.5f) errors++;
        }
    printf("%s\n", errors ? "there are errors" : "everything matches");
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
