#include <cuda_runtime.h>

// Tile product for any element type; shared memory for both tiles is given at the launch.
template <class E, int P>
__global__ void tiledProduct(const E* A, const E* B, E* C, int m, int n, int k)
{
    extern __shared__ double pool[];
    E* sa = (E*)pool;              // P rows of P
    E* sb = sa + P * P;            // P rows of P

    const int ly = threadIdx.x / P;
    const int lx = threadIdx.x - ly * P;
    const int gy = blockIdx.y * P + ly;
    const int gx = blockIdx.x * P + lx;

    E value = 0;
    for (int q0 = 0; q0 < k; q0 += P) {
        sa[ly * P + lx] = gy < m && q0 + lx < k ? A[gy * k + q0 + lx] : E(0);
        sb[ly * P + lx] = gx < n && q0 + ly < k ? B[(q0 + ly) * n + gx] : E(0);
        __syncthreads();
        for (int q = 0; q < P; ++q)
            value += sa[ly * P + q] * sb[q * P + lx];
        __syncthreads();
    }
    if (gy < m && gx < n) C[gy * n + gx] = value;
}

template <class E>
cudaError_t product(const E* A, const E* B, E* C, int m, int n, int k, cudaStream_t stream = 0)
{
    constexpr int P = 16;
    dim3 grid((n + P - 1) / P, (m + P - 1) / P);
    const size_t bytes = 2 * P * P * sizeof(float);
    tiledProduct<E, P><<<grid, P * P, bytes, stream>>>(A, B, C, m, n, k);
    return cudaGetLastError();
}

template cudaError_t product<float>(const float*, const float*, float*, int, int, int, cudaStream_t);
template cudaError_t product<double>(const double*, const double*, double*, int, int, int, cudaStream_t);
