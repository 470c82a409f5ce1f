#include <stdio.h>
__global__ void MatrixMulDyn(float* A, float* B, float* C, int wA, int wB, int hA)
{
    extern __shared__ float smem[];
    float* As = smem;
    float* Bs = smem + blockDim.x * blockDim.y;
    int tx = threadIdx.x, ty = threadIdx.y, T = blockDim.x;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float v = 0;
    for (int m = 0; m < (wA + T - 1) / T; m++) {
        int ac = m * T + tx, br = m * T + ty;
        As[ty * T + tx] = (row < hA && ac < wA) ? A[row * wA + ac] : 0;
        Bs[ty * T + tx] = (br < wA && col < wB) ? B[br * wB + col] : 0;
        __syncthreads();
        for (int k = 0; k < T; k++) v += As[ty * T + k] * Bs[k * T + tx];
        __syncthreads();
    }
    if (row < hA && col < wB) C[row * wB + col] = v;
}
int main()
{
    const int T = 16;
    int hA = 320, wA = 320, wB = 640;
    float *d_A, *d_B, *d_C;
    size_t shmem = 2 * T * T * sizeof(float);
    dim3 threads(T, T);
    dim3 grid((wB + T - 1) / T, (hA + T - 1) / T);
    MatrixMulDyn<<<grid, threads, shmem>>>(d_A, d_B, d_C, wA, wB, hA);
}
