// 作业三:分块矩阵乘法,块大小在运行时选择(动态共享内存)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

// blockDim.x == blockDim.y == 块边长
// 动态共享内存大小: 2 * 边长 * 边长 * sizeof(float)
__global__ void matmul_dyn(const float *A, const float *B, float *C,
                           unsigned hang, unsigned zhong, unsigned lie)
{
    extern __shared__ float mem[];
    const unsigned w = blockDim.x;
    float *sA = mem;
    float *sB = mem + w * w;

    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned r = blockIdx.y * w + ty;
    const unsigned c = blockIdx.x * w + tx;

    float sum = 0.0f;
    for (unsigned base = 0; base < zhong; base += w) {
        // 越界的位置填 0
        sA[ty * w + tx] = 0.0f;
        sB[ty * w + tx] = 0.0f;
        if (r < hang && base + tx < zhong)
            sA[ty * w + tx] = A[r * zhong + base + tx];
        if (base + ty < zhong && c < lie)
            sB[ty * w + tx] = B[(base + ty) * lie + c];
        __syncthreads();

        for (unsigned k = 0; k < w; k++)
            sum += sA[ty * w + k] * sB[k * w + tx];
        __syncthreads();
    }

    if (r < hang && c < lie)
        C[r * lie + c] = sum;
}

int main(void)
{
    const unsigned hang = 50, zhong = 77, lie = 61;
    const unsigned sizes[] = {4, 8, 16, 20, 32};
    float *A = (float *)malloc(hang * zhong * sizeof(float));
    float *B = (float *)malloc(zhong * lie * sizeof(float));
    float *C = (float *)malloc(hang * lie * sizeof(float));
    float *R = (float *)malloc(hang * lie * sizeof(float));
    for (unsigned i = 0; i < hang * zhong; i++) A[i] = (float)rand() / RAND_MAX;
    for (unsigned i = 0; i < zhong * lie; i++) B[i] = (float)rand() / RAND_MAX;

    for (unsigned i = 0; i < hang; i++)
        for (unsigned j = 0; j < lie; j++) {
            float s = 0.0f;
            for (unsigned k = 0; k < zhong; k++) s += A[i * zhong + k] * B[k * lie + j];
            R[i * lie + j] = s;
        }

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, hang * zhong * sizeof(float));
    cudaMalloc((void **)&dB, zhong * lie * sizeof(float));
    cudaMalloc((void **)&dC, hang * lie * sizeof(float));
    cudaMemcpy(dA, A, hang * zhong * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, zhong * lie * sizeof(float), cudaMemcpyHostToDevice);

    int total = 0;
    for (int v = 0; v < 5; v++) {
        unsigned w = sizes[v];
        dim3 block(w, w);
        dim3 grid((lie + w - 1) / w, (hang + w - 1) / w);
        size_t shmem = 2 * w * w * sizeof(float);
        cudaMemset(dC, 0xff, hang * lie * sizeof(float));
        matmul_dyn<<<grid, block, shmem>>>(dA, dB, dC, hang, zhong, lie);
        cudaMemcpy(C, dC, hang * lie * sizeof(float), cudaMemcpyDeviceToHost);
        int bad = 0;
        for (unsigned i = 0; i < hang * lie; i++)
            if (!(fabsf(C[i] - R[i]) < 1e-3f)) bad++;
        printf("tile %u: %s\n", w, bad ? "错误" : "正确");
        total += bad;
    }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return total ? 1 : 0;
}
