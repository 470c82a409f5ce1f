/* Tiled matrix multiplication, lecture 4: shared memory.
 * C (M x N) = A (M x K) * B (K x N), all row-major floats.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define CHECK(call)                                                     \
    do {                                                                \
        cudaError_t e_ = (call);                                        \
        if (e_ != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,          \
                    cudaGetErrorString(e_));                            \
            exit(EXIT_FAILURE);                                         \
        }                                                               \
    } while (0)

__global__ void matMulTiled(const float *A, const float *B, float *C,
                            int M, int N, int K)
{
    __shared__ float sA[TILE][TILE];
    __shared__ float sB[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    for (int t = 0; t < CEIL_DIV(K, TILE); t++) {
        int ka = t * TILE + tx;
        int kb = t * TILE + ty;
        sA[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        sB[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; k++)
            sum += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 201;
    int N = argc > 2 ? atoi(argv[2]) : 133;
    int K = argc > 3 ? atoi(argv[3]) : 95;
    size_t bytesA = (size_t)M * K * sizeof(float);
    size_t bytesB = (size_t)K * N * sizeof(float);
    size_t bytesC = (size_t)M * N * sizeof(float);

    float *hA = (float *)malloc(bytesA);
    float *hB = (float *)malloc(bytesB);
    float *hC = (float *)malloc(bytesC);
    for (int i = 0; i < M * K; i++) hA[i] = (float)(rand() % 100) / 50.0f - 1.0f;
    for (int i = 0; i < K * N; i++) hB[i] = (float)(rand() % 100) / 50.0f - 1.0f;

    float *dA, *dB, *dC;
    CHECK(cudaMalloc((void **)&dA, bytesA));
    CHECK(cudaMalloc((void **)&dB, bytesB));
    CHECK(cudaMalloc((void **)&dC, bytesC));
    CHECK(cudaMemcpy(dA, hA, bytesA, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, hB, bytesB, cudaMemcpyHostToDevice));

    dim3 block(TILE, TILE);
    dim3 grid(CEIL_DIV(N, TILE), CEIL_DIV(M, TILE));
    matMulTiled<<<grid, block>>>(dA, dB, dC, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(hC, dC, bytesC, cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double ref = 0.0;
            for (int k = 0; k < K; k++) ref += (double)hA[i * K + k] * hB[k * N + j];
            if (fabs(ref - hC[i * N + j]) > 1e-3) bad++;
        }
    printf(bad ? "FAILED: %d wrong\n" : "PASSED (%d wrong)\n", bad);

    CHECK(cudaFree(dA)); CHECK(cudaFree(dB)); CHECK(cudaFree(dC));
    free(hA); free(hB); free(hC);
    return bad != 0;
}
