#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

// tile size is chosen at run time: blockDim.x == blockDim.y == ts
__global__ void mmDyn(const float *A, const float *B, float *C, int m, int n, int k)
{
    extern __shared__ float smem[];
    const int ts = blockDim.x;
    float *As = smem;
    float *Bs = smem + ts * ts;

    int row = blockIdx.y * ts + threadIdx.y;
    int col = blockIdx.x * ts + threadIdx.x;
    int me = threadIdx.y * ts + threadIdx.x;
    float c = 0.0f;

    for (int t = 0; t < k; t += ts) {
        int ka = t + threadIdx.x, kb = t + threadIdx.y;
        As[me] = (row < m && ka < k) ? A[row * k + ka] : 0.0f;
        Bs[me] = (kb < k && col < n) ? B[kb * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < ts; i++)
            c += As[threadIdx.y * ts + i] * Bs[i * ts + threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = c;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 400;
    int n = argc > 2 ? atoi(argv[2]) : 300;
    int k = argc > 3 ? atoi(argv[3]) : 200;
    int ts = 16;

    float *A = (float *)malloc(m * k * sizeof(float));
    float *B = (float *)malloc(k * n * sizeof(float));
    float *C = (float *)malloc(m * n * sizeof(float));
    for (int i = 0; i < m * k; i++) A[i] = (rand() % 200) / 100.0f;
    for (int i = 0; i < k * n; i++) B[i] = (rand() % 200) / 100.0f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, m * k * sizeof(float));
    cudaMalloc((void **)&dB, k * n * sizeof(float));
    cudaMalloc((void **)&dC, m * n * sizeof(float));
    cudaMemcpy(dA, A, m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(ts, ts);
    dim3 grid((n + ts - 1) / ts, (m + ts - 1) / ts);
    size_t sharedSize = 2 * ts * ts;
    mmDyn<<<grid, block, sharedSize>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C, dC, m * n * sizeof(float), cudaMemcpyDeviceToHost);

    bool fine = true;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float r = 0;
            for (int l = 0; l < k; l++) r += A[i * k + l] * B[l * n + j];
            if (fabs(r - C[i * n + j]) > 0.01f) fine = false;
        }
    printf("%s\n", fine ? "fine" : "not fine");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
