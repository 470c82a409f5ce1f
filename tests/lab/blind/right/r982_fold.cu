#include <cuda_runtime.h>
// reduced product.  A: (2m) x k, B: k x (2n), C: m x n
//   C(i,j) = (A[2i,:] + A[2i+1,:]) . (B[:,2j] + B[:,2j+1])
// the pair sums are taken once, on the way into shared memory

template <typename real, int T>
__global__ void reducedProduct(const real* A, const real* B, real* C, int m, int n, int k)
{
    __shared__ real sumA[T][T];
    __shared__ real sumB[T][T];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.x * T + ty;
    const int j = blockIdx.y * T + tx;
    const int ldb = 2 * n;

    real c = real(0);

    for (int k0 = 0; k0 < k; k0 += T)
    {
        real v = real(0);
        if (i < m && k0 + tx < k)
            v = A[(2 * i) * k + k0 + tx] + A[(2 * i + 1) * k + k0 + tx];
        sumA[ty][tx] = v;

        v = real(0);
        if (j < n && k0 + ty < k) {
            const real* p = B + (k0 + ty) * ldb + 2 * j;
            v = p[0] + p[1];
        }
        sumB[ty][tx] = v;
        __syncthreads();

#pragma unroll
        for (int q = 0; q < T; ++q)
            c += sumA[ty][q] * sumB[q][tx];
        __syncthreads();
    }
    if (i < m && j < n)
        C[i * n + j] = c;
}

template <typename real>
void launch(const real* A, const real* B, real* C, int m, int n, int k)
{
    constexpr int T = 8;
    dim3 block(T, T);
    dim3 grid((m + T - 1) / T, (n + T - 1) / T);   // rows of blocks run along x
    reducedProduct<real, T><<<grid, block>>>(A, B, C, m, n, k);
}

template void launch<float>(const float*, const float*, float*, int, int, int);
template void launch<double>(const double*, const double*, double*, int, int, int);
