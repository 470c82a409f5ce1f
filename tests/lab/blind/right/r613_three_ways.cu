/* Comparing three ways to do C = A * B^T (both operands row-major, B is N x K)
 *   1. one thread per output, straight from global
 *   2. transpose B first, then the usual product
 *   3. shared tiles, B tile flipped while loading
 * Any sizes (plain int indexing, so below 2^31 elements each). Run: ./three_ways [M N K]
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define CK(call)                                                     \
    do {                                                             \
        cudaError_t rc_ = (call);                                    \
        if (rc_ != cudaSuccess) {                                    \
            printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rc_)); \
            exit(EXIT_FAILURE);                                      \
        }                                                            \
    } while (0)

enum { TS = 32, ROWS = 8 };

__global__ void nt_plain(const float *A, const float *B, float *C, int M, int N, int K)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r < M && c < N) {
        float s = 0;
        for (int k = 0; k < K; k++) s += A[r * K + k] * B[c * K + k];
        C[r * N + c] = s;
    }
}

/* out (cols x rows) = in (rows x cols) transposed; block is TS x ROWS */
__global__ void transpose(const float *in, float *out, int rows, int cols)
{
    __shared__ float t[TS][TS + 1];
    int x = blockIdx.x * TS + threadIdx.x;
    int y = blockIdx.y * TS + threadIdx.y;
    for (int d = 0; d < TS; d += ROWS)
        if (x < cols && y + d < rows)
            t[threadIdx.y + d][threadIdx.x] = in[(y + d) * cols + x];
    __syncthreads();
    x = blockIdx.y * TS + threadIdx.x;
    y = blockIdx.x * TS + threadIdx.y;
    for (int d = 0; d < TS; d += ROWS)
        if (x < rows && y + d < cols)
            out[(y + d) * rows + x] = t[threadIdx.x][threadIdx.y + d];
}

__global__ void nn_plain(const float *A, const float *B, float *C, int M, int N, int K)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= M || c >= N) return;
    float s = 0;
    for (int k = 0; k < K; k++) s += A[r * K + k] * B[k * N + c];
    C[r * N + c] = s;
}

__global__ void nt_tiled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TS][TS], bt[TS][TS + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int r = blockIdx.y * TS + ty;
    int c = blockIdx.x * TS + tx;
    int rb = blockIdx.x * TS + ty;      /* row of B this thread fetches */
    float s = 0;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a[ty][tx]  = (r  < M && k0 + tx < K) ? A[r  * K + k0 + tx] : 0.f;
        bt[tx][ty] = (rb < N && k0 + tx < K) ? B[rb * K + k0 + tx] : 0.f;
        __syncthreads();
        for (int k = 0; k < TS; k++) s += a[ty][k] * bt[k][tx];
        __syncthreads();
    }
    if (r < M && c < N) C[r * N + c] = s;
}

static int cdiv(int a, int b) { return (a + b - 1) / b; }

static void compare(const char *name, const float *ref, const float *got, int n)
{
    float worst = 0;
    for (int i = 0; i < n; i++) worst = fmaxf(worst, fabsf(ref[i] - got[i]));
    printf("%-10s max diff %g\n", name, worst);
}

int main(int argc, char **argv)
{
    int M = 200, N = 150, K = 333;
    if (argc > 3) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }
    size_t sa = sizeof(float) * M * K, sb = sizeof(float) * N * K, sc = sizeof(float) * M * N;

    float *A = (float *)malloc(sa), *B = (float *)malloc(sb);
    float *R = (float *)malloc(sc), *C = (float *)malloc(sc);
    for (int i = 0; i < M * K; i++) A[i] = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < N * K; i++) B[i] = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[j * K + k];
            R[i * N + j] = s;
        }

    float *dA, *dB, *dBt, *dC;
    CK(cudaMalloc(&dA, sa)); CK(cudaMalloc(&dB, sb)); CK(cudaMalloc(&dBt, sb)); CK(cudaMalloc(&dC, sc));
    CK(cudaMemcpy(dA, A, sa, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dB, B, sb, cudaMemcpyHostToDevice));

    dim3 blk(16, 16), grd(cdiv(N, 16), cdiv(M, 16));
    nt_plain<<<grd, blk>>>(dA, dB, dC, M, N, K);
    CK(cudaGetLastError());
    CK(cudaMemcpy(C, dC, sc, cudaMemcpyDeviceToHost));
    compare("plain", R, C, M * N);

    transpose<<<dim3(cdiv(K, TS), cdiv(N, TS)), dim3(TS, ROWS)>>>(dB, dBt, N, K);
    nn_plain<<<grd, blk>>>(dA, dBt, dC, M, N, K);
    CK(cudaGetLastError());
    CK(cudaMemcpy(C, dC, sc, cudaMemcpyDeviceToHost));
    compare("transpose", R, C, M * N);

    nt_tiled<<<dim3(cdiv(N, TS), cdiv(M, TS)), dim3(TS, TS)>>>(dA, dB, dC, M, N, K);
    CK(cudaGetLastError());
    CK(cudaMemcpy(C, dC, sc, cudaMemcpyDeviceToHost));
    compare("tiled", R, C, M * N);

    cudaFree(dA); cudaFree(dB); cudaFree(dBt); cudaFree(dC);
    free(A); free(B); free(R); free(C);
    return 0;
}
