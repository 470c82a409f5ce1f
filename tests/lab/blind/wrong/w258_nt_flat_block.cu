// C = A * B^T for unsigned integers (arithmetic modulo 2^32).
// A is m x k, B is n x k, C is m x n, all row-major.
//
// Start with 256 threads in a flat block:
//     multiply_abt<16><<<dim3(ceil(n / 16), ceil(m / 16)), 256>>>(A, B, C, m, n, k);
#include <cstdint>

template <int TILE>
__global__ void multiply_abt(const uint32_t* A, const uint32_t* B, uint32_t* C,
                             int m, int n, int k)
{
    __shared__ uint32_t a[TILE][TILE + 1], b[TILE][TILE + 1];

    const int tx = threadIdx.x % TILE;
    const int ty = threadIdx.x / TILE;
    const int a_row = blockIdx.y * TILE + ty;
    const int b_row = blockIdx.x * TILE + ty;

    uint32_t acc = 0;
    const int tiles = (k + TILE - 1) / TILE;
    for (int t = 0; t < tiles; ++t) {
        const int kk = t * TILE + tx;

        a[ty][tx] = 0;
        b[ty][tx] = 0;
        if (kk < k && a_row < m) a[ty][tx] = A[(size_t)a_row * k + kk];
        if (kk < k && b_row < n) b[ty][tx] = B[(size_t)b_row * n + kk];
        __syncthreads();

        for (int i = 0; i < TILE; ++i)
            acc += a[ty][i] * b[tx][i];
        __syncthreads();
    }

    const int c_col = blockIdx.x * TILE + tx;
    if (a_row < m && c_col < n) C[(size_t)a_row * n + c_col] = acc;
}

template __global__ void multiply_abt<16>(const uint32_t*, const uint32_t*, uint32_t*, int, int, int);
