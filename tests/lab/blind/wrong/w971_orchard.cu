#include <stdio.h>
#include <stdlib.h>
#include <math.h>

const int BLOCK = 64;

__global__ void partial_dot(const float *a, const float *b, float *partial, int n) {
    __shared__ float s[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    s[tid] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (tid < h) s[tid] += s[tid + h];
        __syncthreads();
    }
    if (tid == 0) partial[blockIdx.x] = s[0];
}

float gpu_dot(const float *a, const float *b, int n) {
    int blocks = (n + BLOCK - 1) / BLOCK;
    float *d_a, *d_b, *d_partial;
    float *partial = (float *)calloc(blocks, sizeof(float));

    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_b, n * sizeof(float));
    cudaMalloc(&d_partial, blocks * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice);

    partial_dot<<<blocks, BLOCK>>>(d_a, d_b, d_partial, n);
    cudaMemcpy(partial, d_partial, sizeof(partial), cudaMemcpyDeviceToHost);

    float sum = 0.0f;
    for (int i = 0; i < blocks; i++) sum += partial[i];

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_partial);
    free(partial);
    return sum;
}

int main(void) {
    int n = 1000;
    float *a = (float *)malloc(n * sizeof(float));
    float *b = (float *)malloc(n * sizeof(float));
    double ref = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i % 3 + 1;
        b[i] = i % 4;
        ref += a[i] * b[i];
    }
    float got = gpu_dot(a, b, n);
    printf("GPU: %f, CPU: %f -> %s\n", got, ref, fabs(got - ref) < 0.5 ? "correct" : "different");
    free(a);
    free(b);
    return 0;
}
