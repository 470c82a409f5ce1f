// Matrix struct version after the programming guide, extended to sizes that are not
// multiples of the tile.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define BLOCK_SIZE 16

typedef struct {
    int height;
    int width;
    float *el;
} Mat;

__global__ void MatMulKernel(Mat A, Mat B, Mat C)
{
    int row = blockIdx.y * BLOCK_SIZE + threadIdx.y;
    int col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    if (row >= C.height || col >= C.width)
        return;

    __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
    float v = 0;

    for (int m = 0; m < A.width; m += BLOCK_SIZE) {
        int ac = m + threadIdx.x;
        int br = m + threadIdx.y;
        As[threadIdx.y][threadIdx.x] =
            (row < A.height && ac < A.width) ? A.el[row * A.width + ac] : 0;
        Bs[threadIdx.y][threadIdx.x] =
            (br < B.height && col < B.width) ? B.el[br * B.width + col] : 0;
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e)
            v += As[threadIdx.y][e] * Bs[e][threadIdx.x];
        __syncthreads();
    }
    C.el[row * C.width + col] = v;
}

static Mat toDevice(Mat h)
{
    Mat d = h;
    size_t bytes = (size_t)h.width * h.height * sizeof(float);
    cudaMalloc((void **)&d.el, bytes);
    cudaMemcpy(d.el, h.el, bytes, cudaMemcpyHostToDevice);
    return d;
}

static Mat newMat(int h, int w)
{
    Mat m = {h, w, (float *)malloc((size_t)h * w * sizeof(float))};
    for (int i = 0; i < h * w; ++i) m.el[i] = (float)(rand() % 100) / 100.0f;
    return m;
}

int main(void)
{
    Mat A = newMat(100, 75), B = newMat(75, 130), C = newMat(100, 130);
    Mat dA = toDevice(A), dB = toDevice(B), dC = toDevice(C);

    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid((C.width + BLOCK_SIZE - 1) / BLOCK_SIZE,
                 (C.height + BLOCK_SIZE - 1) / BLOCK_SIZE);
    MatMulKernel<<<dimGrid, dimBlock>>>(dA, dB, dC);
    cudaMemcpy(C.el, dC.el, (size_t)C.width * C.height * sizeof(float),
               cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < C.height; ++i)
        for (int j = 0; j < C.width; ++j) {
            float s = 0;
            for (int k = 0; k < A.width; ++k)
                s += A.el[i * A.width + k] * B.el[k * B.width + j];
            if (!(fabsf(s - C.el[i * C.width + j]) < 1e-3f)) ++errors;
        }
    printf("%d errors\n", errors);
    cudaFree(dA.el); cudaFree(dB.el); cudaFree(dC.el);
    free(A.el); free(B.el); free(C.el);
    return errors != 0;
}
