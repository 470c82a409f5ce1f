// Reduced product in three launches on one stream:
//   P(i,p) = A(2i,p) + A(2i+1,p)      m x k
//   Q(p,j) = B(p,2j) + B(p,2j+1)      k x n
//   C      = P * Q                    m x n   == 2x2 block sums of A*B
// Everything row-major. A is 2m x k, B is k x 2n.
#include <cuda_runtime.h>

static inline unsigned ceilDiv(size_t a, unsigned b) { return (unsigned)((a + b - 1) / b); }

__global__ void addRowPairs(const float* A, float* P, int m, int k)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (t >= (size_t)m * k) return;
    size_t i = t / k, p = t % k;
    P[t] = A[2 * i * k + p] + A[(2 * i + 1) * k + p];
}

// column pairs are neighbours, so pair number t starts at B[2t] whatever the row is
__global__ void addColPairs(const float* B, float* Q, size_t pairs)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (t < pairs) Q[t] = B[2 * t] + B[2 * t + 1];
}

__global__ void multiply(const float* P, const float* Q, float* C, int m, int n, int k)
{
    __shared__ float row[8][64];
    int j = blockIdx.x * 32 + threadIdx.x;
    int i = blockIdx.y * 8 + threadIdx.y;

    float s = 0.f;
    for (int p0 = 0; p0 < k; p0 += 64) {
        for (int c = threadIdx.x; c < 64; c += 32)
            row[threadIdx.y][c] = (i < m && p0 + c < k) ? P[(size_t)i * k + p0 + c] : 0.f;
        __syncthreads();
        int lim = min(64, k - p0);
        if (j < n)
            for (int c = 0; c < lim; ++c) s += row[threadIdx.y][c] * Q[(size_t)(p0 + c) * n + j];
        __syncthreads();
    }
    if (i < m && j < n) C[(size_t)i * n + j] = s;
}

cudaError_t reducedProduct(const float* A, const float* B, float* C, int m, int n, int k)
{
    float *P = nullptr, *Q = nullptr;
    size_t np = (size_t)m * k, nq = (size_t)k * n;
    cudaError_t e = cudaMalloc(&P, np * sizeof(float));
    if (e == cudaSuccess) e = cudaMalloc(&Q, nq * sizeof(float));
    if (e == cudaSuccess) {
        addRowPairs<<<ceilDiv(np, 256), 256>>>(A, P, m, k);
        addColPairs<<<ceilDiv(nq, 256), 256>>>(B, Q, nq);
        multiply<<<dim3(ceilDiv(n, 32), ceilDiv(m, 8)), dim3(32, 8)>>>(P, Q, C, m, n, k);
        e = cudaGetLastError();
    }
    cudaFree(P);
    cudaFree(Q);
    return e;
}
