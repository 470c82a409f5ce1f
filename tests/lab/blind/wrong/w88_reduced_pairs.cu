// Reduced matrix multiplication, one thread per output element.
//
//   C[i,j] = sum over k of (A[2i,k] + A[2i+1,k]) * (B[k,2j] + B[k,2j+1])
//
//   A: M x K   B: K x N   C: (M/2) x (N/2)   all row-major, M and N even
//
// Launch:
//   dim3 block(64, 4);
//   dim3 grid((N/2 + 63) / 64, (M/2 + 3) / 4);
#include <cuda_runtime.h>

__global__ void reduced_mm(const float *A, const float *B, float *C,
                           int M, int K, int N)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    int out_rows = M / 2;
    int out_cols = N / 2;

    if (i < out_rows && j < out_cols) {
        float total = 0.0f;
        for (int k = 0; k < K; k++) {
            float upper = A[2 * i * K + k];
            float lower = A[2 * i + 1 * K + k];
            float left  = B[k * N + 2 * j];
            float right = B[k * N + 2 * j + 1];
            total += (upper + lower) * (left + right);
        }
        C[i * out_cols + j] = total;
    }
}
