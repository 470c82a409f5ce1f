// Nhân ma trận C = A * B^T, chia chiều K cho nhiều khối (split-K)
// A: M x K (half, theo hàng), B: N x K (half, theo hàng), C: M x N (float, theo hàng)
// gridDim.z khối cùng cộng vào một ô của C bằng atomicAdd nên C phải bằng 0 trước khi chạy kernel.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define O 16

__global__ void nhan_chia_k(const __half *A, const __half *B, float *C, int M, int N, int K)
{
    __shared__ float ta[O][O];
    __shared__ float tb[O][O + 1];

    const int x = threadIdx.x, y = threadIdx.y;
    const int hang = blockIdx.y * O + y;
    const int cot  = blockIdx.x * O + x;
    const int hangB = blockIdx.x * O + y;      // hàng của B mà luồng này đọc

    // đoạn K của khối này: [dau, cuoi)
    const int doan = (K + gridDim.z - 1) / gridDim.z;
    const int dau  = blockIdx.z * doan;
    const int cuoi = min(K, dau + doan);

    float tong = 0.0f;
    for (int k0 = dau; k0 < cuoi; k0 += O) {
        const int k = k0 + x;
        ta[y][x] = (hang  < M && k < cuoi) ? __half2float(A[(size_t)hang  * K + k]) : 0.0f;
        tb[y][x] = (hangB < N && k < cuoi) ? __half2float(B[(size_t)hangB * K + k]) : 0.0f;
        __syncthreads();
        for (int i = 0; i < O; i++)
            tong += ta[y][i] * tb[x][i];
        __syncthreads();
    }

    if (hang < M && cot < N && dau < cuoi)
        atomicAdd(&C[(size_t)hang * N + cot], tong);
}

// so_phan: số phần chia của K (1..64)
void nhan(const __half *A, const __half *B, float *C, int M, int N, int K, int so_phan)
{
    cudaMemset(C, 0, sizeof(float) * (size_t)M * N);
    dim3 luong(O, O);
    dim3 khoi((N + O - 1) / O, (M + O - 1) / O, so_phan);
    nhan_chia_k<<<khoi, luong>>>(A, B, C, M, N, K);
}
