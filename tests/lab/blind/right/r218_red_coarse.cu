#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

template <typename T, int BLK>
__global__ void reducedCoarse(T *C, const T *A, const T *B, int m, int n, int p)
{
    __shared__ T a[BLK][BLK];
    __shared__ T b[BLK][2 * BLK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int m2 = m / 2, n2 = n / 2;
    const int i = blockIdx.y * BLK + ty;
    const int jl = blockIdx.x * 2 * BLK + tx;
    const int jr = jl + BLK;

    auto pairB = [=](int k, int j) -> T {
        return (k < p && j < n2) ? B[k * n + 2 * j] + B[k * n + 2 * j + 1] : T(0);
    };

    T left = 0, right = 0;
    for (int k0 = 0; k0 < p; k0 += BLK) {
        int k = k0 + tx;
        a[ty][tx] = (i < m2 && k < p) ? A[2 * i * p + k] + A[(2 * i + 1) * p + k] : T(0);
        b[ty][tx] = pairB(k0 + ty, jl);
        b[ty][tx + BLK] = pairB(k0 + ty, jr);
        __syncthreads();
        for (int q = 0; q < BLK; ++q) {
            T v = a[ty][q];
            left += v * b[q][tx];
            right += v * b[q][tx + BLK];
        }
        __syncthreads();
    }
    if (i < m2 && jl < n2) C[i * n2 + jl] = left;
    if (i < m2 && jr < n2) C[i * n2 + jr] = right;
}

int main()
{
    int m = 28, n = 108, p = 40;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, m / 2 * (n / 2) * sizeof(float));
    for (int i = 0; i < m * p; ++i) A[i] = rand() % 5;
    for (int i = 0; i < p * n; ++i) B[i] = rand() % 5;
    dim3 grid((n / 2 + 31) / 32, (m / 2 + 15) / 16);
    reducedCoarse<float, 16><<<grid, dim3(16, 16)>>>(C, A, B, m, n, p);
    cudaDeviceSynchronize();
    printf("%f\n", C[0]);
    return 0;
}
