#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

template <typename T, int TILE_DIM>
__global__ void gemm(const T *A, const T *B, T *C, int M, int N, int K)
{
    __shared__ T tileA[TILE_DIM][TILE_DIM];
    __shared__ T tileB[TILE_DIM][TILE_DIM];

    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    T value = T(0);

    for (int k0 = 0; k0 < K; k0 += TILE_DIM) {
        tileA[threadIdx.y][threadIdx.x] =
            (row < M && k0 + threadIdx.x < K) ? A[row * K + k0 + threadIdx.x] : T(0);
        tileB[threadIdx.y][threadIdx.x] =
            (k0 + threadIdx.y < K && col < N) ? B[(k0 + threadIdx.y) * N + col] : T(0);
        __syncthreads();
        for (int e = 0; e < TILE_DIM; ++e)
            value += tileA[threadIdx.y][e] * tileB[e][threadIdx.x];
    }

    if (row < M && col < N)
        C[row * N + col] = value;
}

template <typename T>
bool test(int M, int N, int K)
{
    T *A, *B, *C;
    cudaMallocManaged(&A, sizeof(T) * M * K);
    cudaMallocManaged(&B, sizeof(T) * K * N);
    cudaMallocManaged(&C, sizeof(T) * M * N);
    for (int i = 0; i < M * K; i++) A[i] = T(rand() % 8);
    for (int i = 0; i < K * N; i++) B[i] = T(rand() % 8);

    const int TD = 16;
    dim3 block(TD, TD);
    dim3 grid((N + TD - 1) / TD, (M + TD - 1) / TD);
    gemm<T, 16><<<grid, block>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();

    bool good = true;
    for (int i = 0; i < M && good; i++)
        for (int j = 0; j < N; j++) {
            T s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) { good = false; break; }
        }
    cudaFree(A); cudaFree(B); cudaFree(C);
    return good;
}

int main()
{
    bool a = test<double>(200, 150, 170);
    bool b = test<float>(333, 64, 100);
    printf("double: %s, float: %s\n", a ? "yes" : "no", b ? "yes" : "no");
    return !(a && b);
}
