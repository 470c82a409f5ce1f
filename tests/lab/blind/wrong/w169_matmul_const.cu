// Rectangular matrix multiplication, sizes kept in constant memory
//   A : M x K     B : K x N     C : M x N
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TILE 8

struct Dims { int M, N, K; };
__constant__ Dims dim;

__global__ void mm(const float *A, const float *B, float *C)
{
    __shared__ float a_s[TILE][TILE];
    __shared__ float b_s[TILE][TILE];

    const int r = blockIdx.y * TILE + threadIdx.y;
    const int c = blockIdx.x * TILE + threadIdx.x;
    float acc = 0.f;

    const int tiles = (dim.K - 1) / TILE + 1;
    for (int t = 0; t < tiles; t++) {
        const int ak = t * TILE + threadIdx.x;
        const int bk = t * TILE + threadIdx.y;

        if (r < dim.M && ak < dim.K)
            a_s[threadIdx.y][threadIdx.x] = A[r * dim.K + ak];
        else
            a_s[threadIdx.y][threadIdx.x] = 0.f;

        if (bk < dim.K && c < dim.N)
            b_s[threadIdx.y][threadIdx.x] = B[bk * dim.K + c];
        else
            b_s[threadIdx.y][threadIdx.x] = 0.f;
        __syncthreads();

        for (int k = 0; k < TILE; k++)
            acc += a_s[threadIdx.y][k] * b_s[k][threadIdx.x];
        __syncthreads();
    }

    if (r < dim.M && c < dim.N)
        C[r * dim.N + c] = acc;
}

int main()
{
    Dims h = {64, 128, 96};
    cudaMemcpyToSymbol(dim, &h, sizeof(Dims));

    float *A, *B, *C;
    cudaMallocManaged(&A, sizeof(float) * h.M * h.K);
    cudaMallocManaged(&B, sizeof(float) * h.K * h.N);
    cudaMallocManaged(&C, sizeof(float) * h.M * h.N);
    for (int i = 0; i < h.M * h.K; i++) A[i] = i % 6;
    for (int i = 0; i < h.K * h.N; i++) B[i] = i % 9 - 4;

    dim3 blk(TILE, TILE);
    dim3 grd((h.N - 1) / TILE + 1, (h.M - 1) / TILE + 1);
    mm<<<grd, blk>>>(A, B, C);
    cudaDeviceSynchronize();

    int wrong = 0;
    for (int i = 0; i < h.M; i++)
        for (int j = 0; j < h.N; j++) {
            float s = 0;
            for (int k = 0; k < h.K; k++)
                s += A[i * h.K + k] * B[k * h.N + j];
            wrong += fabsf(s - C[i * h.N + j]) > 1e-3f;
        }
    printf("wrong elements: %d of %d\n", wrong, h.M * h.N);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
