#include <cuda_fp16.h>
#include <cuda_runtime.h>

// half precision storage, sums are kept in float
// C[m x n] = A[m x k] * B[k x n], row major, arbitrary m, n, k

static const int kTile = 16;

__global__ void hgemm(const __half *A, const __half *B, __half *C, int m, int n, int k)
{
    __shared__ __half aTile[kTile][kTile];
    __shared__ __half bTile[kTile][kTile];

    int r = blockIdx.y * kTile + threadIdx.y;
    int c = blockIdx.x * kTile + threadIdx.x;
    const __half zero = __float2half(0.0f);

    float sum = 0.0f;
    int steps = (k + kTile - 1) / kTile;
    for (int s = 0; s < steps; ++s) {
        int ak = s * kTile + threadIdx.x;
        int bk = s * kTile + threadIdx.y;
        aTile[threadIdx.y][threadIdx.x] = (r < m && ak < k) ? A[(size_t)r * k + ak] : zero;
        bTile[threadIdx.y][threadIdx.x] = (bk < k && c < n) ? B[(size_t)bk * n + c] : zero;
        __syncthreads();
        for (int i = 0; i < kTile; ++i)
            sum += __half2float(aTile[threadIdx.y][i]) * __half2float(bTile[i][threadIdx.x]);
        __syncthreads();
    }

    if (r < m && c < n)
        C[(size_t)r * n + c] = __float2half(sum);
}

void hgemm_host(const __half *dA, const __half *dB, __half *dC, int m, int n, int k)
{
    dim3 threads(kTile, kTile);
    dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    hgemm<<<blocks, threads>>>(dA, dB, dC, m, n, k);
}
