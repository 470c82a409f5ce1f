#include <cuda_runtime.h>

// C = A^T * B
//   A is K x M, B is K x N, C is M x N (row major, any sizes >= 1, all matrices
//   below 2^31 elements, M below 500000)
// Both tiles live in one dynamic shared memory array. The edge of the tiles is
// chosen at run time: 8, 16 or 32 (square blocks).

extern __shared__ float tiles[];

__global__ void atb(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int e = blockDim.x;
    float* ta = tiles;              // ta[p * e + i] = A[k0 + p][i0 + i]
    float* tb = tiles + e * e;      // tb[p * e + j] = B[k0 + p][j0 + j]

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.y * e;
    const int j0 = blockIdx.x * e;

    float c = 0.0f;
    for (int k0 = 0; k0 < K; k0 += e) {
        const int k = k0 + ty;
        ta[ty * e + tx] = (k < K && i0 + tx < M) ? A[k * M + i0 + tx] : 0.0f;
        tb[ty * e + tx] = (k < K && j0 + tx < N) ? B[k * N + j0 + tx] : 0.0f;
        __syncthreads();

        for (int p = 0; p < e; ++p)
            c += ta[p * e + ty] * tb[p * e + tx];
        __syncthreads();
    }

    if (i0 + ty < M && j0 + tx < N)
        C[(i0 + ty) * N + j0 + tx] = c;
}

cudaError_t multiply_atb(const float* dA, const float* dB, float* dC,
                         int M, int N, int K, int edge)
{
    if (edge != 8 && edge != 16 && edge != 32)
        return cudaErrorInvalidValue;

    dim3 block(edge, edge);
    dim3 grid((N + edge - 1) / edge, (M + edge - 1) / edge);
    size_t shared = edge * edge * sizeof(float);

    atb<<<grid, block, shared>>>(dA, dB, dC, M, N, K);
    return cudaGetLastError();
}
