#include <cuda_fp16.h>
// half inputs, float sums. B is handed over transposed: Bt is N x K, row j of Bt is column j of B.
// Both tiles are therefore read along k from global memory.

template <int TS>
__global__ void hgemm_nt(const __half* A, const __half* Bt, float* C, int M, int N, int K)
{
    __shared__ float As[TS][TS + 1];
    __shared__ float Bs[TS][TS + 1];      // Bs[column][k]

    int i = blockIdx.x * TS + threadIdx.y;     // row of C: blockIdx.x runs down here
    int j = blockIdx.y * TS + threadIdx.x;
    int jLoad = blockIdx.y * TS + threadIdx.y;

    float s = 0.0f;
    for (int t = 0; t < (K + TS - 1) / TS; t++) {
        int k = t * TS + threadIdx.x;
        As[threadIdx.y][threadIdx.x] = 0.0f;
        Bs[threadIdx.y][threadIdx.x] = 0.0f;
        if (k < K) {
            if (i < M)     As[threadIdx.y][threadIdx.x] = __half2float(A[i * K + k]);
            if (jLoad < N) Bs[threadIdx.y][threadIdx.x] = __half2float(Bt[jLoad * K + k]);
        }
        __syncthreads();
        for (int q = 0; q < TS; q++)
            s += As[threadIdx.y][q] * Bs[threadIdx.x][q];
        __syncthreads();
    }
    if (i < M && j < N)
        C[i * N + j] = s;
}

void launch_hgemm_nt(const __half* A, const __half* Bt, float* C, int M, int N, int K)
{
    constexpr int TS = 16;
    dim3 grid((M + TS - 1) / TS, (N + TS - 1) / TS);
    hgemm_nt<TS><<<grid, dim3(TS, TS)>>>(A, Bt, C, M, N, K);
}
