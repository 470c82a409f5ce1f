// Reduced product, the cheap way.
//
//   R[i][j] = sum over the 2x2 square at (2i, 2j) of (A*B)
//           = sum_q (A[2i][q] + A[2i+1][q]) * (B[q][2j] + B[q][2j+1])
//
// so the pair sums are formed while the tiles are loaded, and what is left is
// an ordinary (m/2) x (n/2) tiled product.  m and n must be even; k is free.
//
// Launch with TX x TY threads:
//   reduced_mm<32, 8><<<dim3((n/2 + 31) / 32, (m/2 + 7) / 8), dim3(32, 8)>>>(A, B, R, m, n, k);
#include <cuda_runtime.h>

template <int TX, int TY>
__global__ void reduced_mm(const double* __restrict__ A,
                           const double* __restrict__ B,
                           double* __restrict__ R,
                           unsigned m, unsigned n, unsigned k)
{
    constexpr unsigned DEPTH = 16;
    __shared__ double rowPair[TY][DEPTH];
    __shared__ double colPair[DEPTH][TX];

    const unsigned hm = m / 2, hn = n / 2;
    const unsigned tid = threadIdx.y * TX + threadIdx.x;
    const unsigned i0 = blockIdx.y * TY, j0 = blockIdx.x * TX;

    double sum = 0.0;
    for (unsigned q0 = 0; q0 < k; q0 += DEPTH) {
        // all TX*TY threads share the filling of both tiles
        for (unsigned e = tid; e < TY * DEPTH; e += TX * TY) {
            const unsigned r = e / DEPTH, c = e % DEPTH;
            double v = 0.0;
            if (i0 + r < hm && q0 + c < k) {
                const size_t at = (size_t)(2 * (i0 + r)) * k + q0 + c;
                v = A[at] + A[at + k];
            }
            rowPair[r][c] = v;
        }
        for (unsigned e = tid; e < DEPTH * TX; e += TX * TY) {
            const unsigned r = e / TX, c = e % TX;
            double v = 0.0;
            if (q0 + r < k && j0 + c < hn) {
                const size_t at = (size_t)(q0 + r) * n + 2 * (j0 + c);
                v = B[at] + B[at + 1];
            }
            colPair[r][c] = v;
        }
        __syncthreads();

        for (unsigned q = 0; q < DEPTH; ++q)
            sum += rowPair[threadIdx.y][q] * colPair[q][threadIdx.x];
        __syncthreads();
    }

    const unsigned i = i0 + threadIdx.y, j = j0 + threadIdx.x;
    if (i < hm && j < hn)
        R[(size_t)i * hn + j] = sum;
}

template __global__ void reduced_mm<32, 8>(const double*, const double*, double*,
                                           unsigned, unsigned, unsigned);
