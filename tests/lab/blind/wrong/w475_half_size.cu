#include <cuda_runtime.h>

// Reduced product: out is rows/2 x cols/2, every entry the sum of one 2x2 square of A*B.
// A block makes a 16x16 piece of out from 32 rows of A and 32 columns of B.
// rows and cols even.

namespace { constexpr int Q = 16; }

__global__ void reduced(const float *__restrict__ A, const float *__restrict__ B,
                        float *__restrict__ out, int rows, int inner, int cols)
{
    __shared__ float sA[2 * Q][Q];
    __shared__ float sB[Q][2 * Q];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row0 = blockIdx.y * 2 * Q;
    const int col0 = blockIdx.x * 2 * Q;
    float acc = 0.f;

    for (int k0 = 0; k0 < inner; k0 += Q) {
        for (int h = 0; h < 2; ++h) {
            const int r = ty + h * Q;
            const int c = tx + h * Q;
            sA[r][tx] = (row0 + r < rows && k0 + tx < inner)
                        ? A[(row0 + r) * inner + k0 + tx] : 0.f;
            sB[ty][c] = (k0 + ty < inner && col0 + c < cols)
                        ? B[(k0 + ty) * cols + col0 + c] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < Q; ++k) {
            const float sumA = sA[2 * ty][k] + sA[2 * ty + 1][k];
            const float sumB = sB[k][tx] + sB[k][tx + Q];
            acc += sumA * sumB;
        }
        __syncthreads();
    }

    const int i = blockIdx.y * Q + ty;
    const int j = blockIdx.x * Q + tx;
    if (i < rows / 2 && j < cols / 2)
        out[i * (cols / 2) + j] = acc;
}

void launch_reduced(const float *A, const float *B, float *out, int rows, int inner, int cols)
{
    dim3 block(Q, Q);
    dim3 grid((cols / 2 + Q - 1) / Q, (rows / 2 + Q - 1) / Q);
    reduced<<<grid, block>>>(A, B, out, rows, inner, cols);
}
