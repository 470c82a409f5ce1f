#include <cuda_runtime.h>
#include <algorithm>

// Split-K SGEMM for short outputs and a long inner dimension (row-major, C = A * B).
// blockIdx.z picks the slice of K.  C has to be zero on entry; see run_splitk.
#define BX 16

__global__ void splitk(const float* A, const float* B, float* C, int M, int N, int K, int slice)
{
    __shared__ float Al[BX][BX + 1], Bl[BX][BX + 1];

    const int n = blockIdx.x * BX + threadIdx.x;
    const int m = blockIdx.y * BX + threadIdx.y;
    const int kbeg = blockIdx.z * slice;
    const int kend = min(K, kbeg + slice);

    float sum = 0.f;
    for (int k = kbeg; k < kend; k += BX) {
        const int ka = k + threadIdx.x;
        const int kb = k + threadIdx.y;
        Al[threadIdx.y][threadIdx.x] = m < M && ka < kend ? A[(size_t)m * K + ka] : 0.f;
        Bl[threadIdx.y][threadIdx.x] = n < N && kb < kend ? B[(size_t)kb * N + n] : 0.f;
        __syncthreads();
        const int w = min(BX, kend - k);
        for (int q = 0; q < w; ++q) sum += Al[threadIdx.y][q] * Bl[q][threadIdx.x];
        __syncthreads();
    }
    if (m < M && n < N && kbeg < kend) atomicAdd(C + (size_t)m * N + n, sum);
}

void run_splitk(const float* A, const float* B, float* C, int M, int N, int K, int pieces,
                cudaStream_t stream)
{
    pieces = std::max(1, std::min(pieces, 64));
    const int slice = (K + pieces - 1) / pieces;
    cudaMemsetAsync(C, 0, sizeof(float) * M * N, stream);
    dim3 grid((N + BX - 1) / BX, (M + BX - 1) / BX, pieces);
    splitk<<<grid, dim3(BX, BX), 0, stream>>>(A, B, C, M, N, K, slice);
}
