#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// tile size is chosen at run time, the block must be square
__global__ void mmDyn(const float *A, const float *B, float *C, int M, int K, int N)
{
    extern __shared__ float mem[];
    const int T = blockDim.x;
    float *tileA = mem;
    float *tileB = mem + T * T;

    int r = blockIdx.y * T + threadIdx.y;
    int c = blockIdx.x * T + threadIdx.x;
    int here = threadIdx.y * T + threadIdx.x;
    float v = 0.f;

    for (int base = 0; base < K; base += T) {
        tileA[here] = (r < M && base + threadIdx.x < K) ? A[r * K + base + threadIdx.x] : 0.f;
        tileB[here] = (c < N && base + threadIdx.y < K) ? B[(base + threadIdx.y) * N + c] : 0.f;
        __syncthreads();
        for (int k = 0; k < T; k++)
            v += tileA[threadIdx.y * T + k] * tileB[k * T + threadIdx.x];
        __syncthreads();
    }
    if (r < M && c < N) C[r * N + c] = v;
}

int main(int argc, char **argv)
{
    int T = argc > 1 ? atoi(argv[1]) : 16;
    if (T < 1 || T > 32) T = 16;
    int M = 61, K = 52, N = 43;
    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, K * N * sizeof(float));
    cudaMallocManaged(&C, M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < K * N; i++) B[i] = rand() / (float)RAND_MAX;

    dim3 block(T, T);
    dim3 grid((N + T - 1) / T, (M + T - 1) / T);
    size_t bytes = 2 * T * T * sizeof(float);
    mmDyn<<<grid, block, bytes>>>(A, B, C, M, K, N);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s C[0]=%f\n", cudaGetErrorString(e), C[0]);
    return e != cudaSuccess;
}
