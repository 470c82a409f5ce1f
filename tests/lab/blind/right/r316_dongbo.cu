// Bài tập 4: nhân ma trận vuông, bộ nhớ chia sẻ động
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

__global__ void nhanMaTran(const float *A, const float *B, float *C, int n)
{
    extern __shared__ float bo_nho[];
    int w = blockDim.x;               // khối vuông w x w
    float *oA = bo_nho;
    float *oB = bo_nho + w * w;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int hang = blockIdx.y * w + ty;
    int cot = blockIdx.x * w + tx;

    float tong = 0.0f;
    int soBuoc = (n + w - 1) / w;
    for (int b = 0; b < soBuoc; b++) {
        int ka = b * w + tx;
        int kb = b * w + ty;
        oA[ty * w + tx] = (hang < n && ka < n) ? A[hang * n + ka] : 0.0f;
        oB[ty * w + tx] = (kb < n && cot < n) ? B[kb * n + cot] : 0.0f;
        __syncthreads();

        for (int k = 0; k < w; k++)
            tong += oA[ty * w + k] * oB[k * w + tx];
        __syncthreads();
    }
    if (hang < n && cot < n)
        C[hang * n + cot] = tong;
}

int main(int argc, char **argv)
{
    int n = 200;
    int w = 16;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) w = atoi(argv[2]);
    if (w < 1 || w > 32) { printf("w phai tu 1 den 32\n"); return 1; }

    size_t byte = (size_t)n * n * sizeof(float);
    float *A, *B, *C;
    cudaMallocManaged(&A, byte);
    cudaMallocManaged(&B, byte);
    cudaMallocManaged(&C, byte);
    for (int i = 0; i < n * n; i++) {
        A[i] = (float)(i % 8);
        B[i] = (float)(i % 3) - 1.0f;
    }

    dim3 khoi(w, w);
    dim3 luoi((n + w - 1) / w, (n + w - 1) / w);
    size_t shared = 2 * w * w * sizeof(float);
    nhanMaTran<<<luoi, khoi, shared>>>(A, B, C, n);
    cudaError_t loi = cudaDeviceSynchronize();
    if (loi != cudaSuccess) {
        printf("Loi CUDA: %s\n", cudaGetErrorString(loi));
        return 1;
    }

    int sai = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float t = 0;
            for (int k = 0; k < n; k++) t += A[i * n + k] * B[k * n + j];
            if (fabsf(t - C[i * n + j]) > 0.01f) sai++;
        }
    printf("So phan tu sai: %d\n", sai);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
