// S = Q * K^T (attention scores without the softmax).  Q is n x d, K is m x d, S is n x m.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

static const int W = 32;

__global__ void scores(const float *Q, const float *Kmat, float *S,
                       int n, int m, int d, float scale)
{
    __shared__ float q[W][W + 1];
    __shared__ float k[W][W + 1];

    int qi = blockIdx.y * W + threadIdx.y;      // row of Q handled by this thread
    int kj = blockIdx.x * W + threadIdx.y;      // row of K that this thread loads
    float s = 0.0f;

    for (int c0 = 0; c0 < d; c0 += W) {
        int c = c0 + threadIdx.x;
        q[threadIdx.y][threadIdx.x] = (qi < n && c < d) ? Q[qi * d + c] : 0.0f;
        k[threadIdx.y][threadIdx.x] = (kj < m && c < d) ? Kmat[kj * d + c] : 0.0f;
        __syncthreads();

        int width = min(W, d - c0);
        for (int e = 0; e < width; e++)
            s += q[threadIdx.y][e] * k[threadIdx.x][e];
        __syncthreads();
    }

    int col = blockIdx.x * W + threadIdx.x;
    if (qi < n && col < m)
        S[qi * m + col] = scale * s;
}

int main()
{
    int n = 70, m = 129, d = 80;
    float scale = 1.0f / sqrtf((float)d);
    float *Q = (float *)malloc(n * d * sizeof(float));
    float *K = (float *)malloc(m * d * sizeof(float));
    float *S = (float *)malloc(n * m * sizeof(float));
    for (int i = 0; i < n * d; i++) Q[i] = (float)rand() / RAND_MAX;
    for (int i = 0; i < m * d; i++) K[i] = (float)rand() / RAND_MAX;

    float *dQ, *dK, *dS;
    cudaMalloc((void **)&dQ, n * d * sizeof(float));
    cudaMalloc((void **)&dK, m * d * sizeof(float));
    cudaMalloc((void **)&dS, n * m * sizeof(float));
    cudaMemcpy(dQ, Q, n * d * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dK, K, m * d * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(W, W);
    dim3 grid((m + W - 1) / W, (n + W - 1) / W);
    scores<<<grid, block>>>(dQ, dK, dS, n, m, d, scale);
    cudaError_t err = cudaMemcpy(S, dS, n * m * sizeof(float), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) { printf("%s\n", cudaGetErrorString(err)); return 1; }

    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float ref = 0.0f;
            for (int c = 0; c < d; c++) ref += Q[i * d + c] * K[j * d + c];
            ref *= scale;
            if (fabsf(ref - S[i * m + j]) > 1e-4f) wrong++;
        }
    printf("%d wrong of %d\n", wrong, n * m);
    cudaFree(dQ); cudaFree(dK); cudaFree(dS);
    free(Q); free(K); free(S);
    return wrong != 0;
}
