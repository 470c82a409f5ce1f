// Strided batched GEMM for the 80 GB cards.
//
//   for b in [0, batch):  C[b] = A[b] * B[b]
//
// One matrix always has fewer than 2^31 elements and m <= 1000000; the batch as a whole is limited
// only by device memory. All matrices are dense, row-major, packed back to back.

#include <cuda_runtime.h>
#include <cassert>

namespace batched {

template <class T>
class View {
public:
    View(T* base, int rows, int cols) : base_(base), rows_(rows), cols_(cols) {}

    __host__ __device__ int rows() const { return rows_; }
    __host__ __device__ int cols() const { return cols_; }

    __device__ T* matrix(int b) const { return base_ + b * rows_ * cols_; }

    __device__ bool inside(int r, int c) const { return r < rows_ && c < cols_; }

private:
    T* base_;
    int rows_;
    int cols_;
};

template <int TILE>
__global__ void __launch_bounds__(TILE * TILE)
gemm(View<const float> A, View<const float> B, View<float> C, int batch)
{
    __shared__ float As[TILE][TILE + 1];
    __shared__ float Bs[TILE][TILE + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    for (int b = blockIdx.z; b < batch; b += gridDim.z) {
        const float* a = A.matrix(b);
        const float* w = B.matrix(b);
        float* out = C.matrix(b);

        float acc = 0.0f;
        for (int k = 0; k < A.cols(); k += TILE) {
            As[ty][tx] = A.inside(row, k + tx) ? a[row * A.cols() + k + tx] : 0.0f;
            Bs[ty][tx] = B.inside(k + ty, col) ? w[(k + ty) * B.cols() + col] : 0.0f;
            __syncthreads();
#pragma unroll
            for (int i = 0; i < TILE; ++i)
                acc = fmaf(As[ty][i], Bs[i][tx], acc);
            __syncthreads();
        }
        if (C.inside(row, col))
            out[row * C.cols() + col] = acc;
    }
}

// device pointers
cudaError_t run(const float* A, const float* B, float* C,
                int m, int n, int k, int batch, cudaStream_t stream)
{
    assert(m > 0 && n > 0 && k > 0 && batch > 0);
    constexpr int TILE = 16;
    const int z = batch < 65535 ? batch : 65535;
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, z);
    gemm<TILE><<<grid, dim3(TILE, TILE), 0, stream>>>(
        View<const float>(A, m, k), View<const float>(B, k, n), View<float>(C, m, n), batch);
    return cudaGetLastError();
}

} // namespace batched
