#include <cuda_runtime.h>

// 행렬 구조체: 행 우선, ld는 한 행의 간격 (ld >= cols)
struct Mat {
    float *p;
    int rows, cols, ld;
    __device__ float get(int r, int c) const { return r < rows && c < cols ? p[(size_t)r * ld + c] : 0.f; }
    __device__ void  put(int r, int c, float v) { if (r < rows && c < cols) p[(size_t)r * ld + c] = v; }
};

constexpr int T = 16;

// C = A^T * B.   A: K x M,  B: K x N,  C: M x N
// 블록은 T x T 스레드. 전치된 A도 행 방향으로 읽으므로 전역 메모리 접근이 연속적이다.
__global__ void atb(Mat A, Mat B, Mat C)
{
    __shared__ float as[T][T];   // as[k][m]
    __shared__ float bs[T][T];   // bs[k][n]

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int m0 = T * blockIdx.x;
    const int n0 = T * blockIdx.y;

    float v = 0.f;
    for (int k = 0; k < A.rows; k += T) {
        as[ty][tx] = A.get(k + ty, m0 + tx);
        bs[ty][tx] = B.get(k + ty, n0 + tx);
        __syncthreads();
        for (int q = 0; q < T; ++q)
            v += as[q][ty] * bs[q][tx];
        __syncthreads();
    }
    C.put(m0 + ty, n0 + tx, v);
}

// 성공하면 true. 크기가 맞지 않으면 아무 것도 하지 않는다.
bool multiplyATB(Mat A, Mat B, Mat C)
{
    if (A.rows != B.rows || C.rows != A.cols || C.cols != B.cols)
        return false;
    dim3 grid((C.rows + T - 1) / T, (C.cols + T - 1) / T);
    atb<<<grid, dim3(T, T)>>>(A, B, C);
    return cudaGetLastError() == cudaSuccess;
}
