#include <cstddef>
#include <cstdio>
#include <cstdlib>

using std::size_t;

// Strided batched matmul, one z-block per batch entry, 8x8 thread blocks.
__global__ void bmm(const int* __restrict__ X, size_t strideX,
                    const int* __restrict__ Y, size_t strideY,
                    int* __restrict__ Z, size_t strideZ,
                    size_t R, size_t S, size_t Q)
{
    constexpr size_t W = 8;
    __shared__ int xs[W][W], ys[W][W];

    const int* x = X + blockIdx.z * strideX;
    const int* y = Y + blockIdx.z * strideY;
    int*       z = Z + blockIdx.z * strideZ;

    const size_t tr = threadIdx.y, tc = threadIdx.x;
    const size_t r = blockIdx.y * W + tr;
    const size_t q = blockIdx.x * W + tc;

    int total = 0;
    for (size_t s0 = 0; s0 < S; s0 += W)
    {
        xs[tr][tc] = (r < R && s0 + tc < S) ? x[r * S + (s0 + tc)] : 0;
        ys[tr][tc] = (q < Q && s0 + tr < S) ? y[(s0 + tr) * Q + q] : 0;
        __syncthreads();
        const size_t lim = (S - s0 < W) ? S - s0 : W;
        for (size_t s = 0; s < lim; ++s)
            total += xs[tr][s] * ys[s][tc];
        __syncthreads();
    }
    if (r < R && q < Q) z[r * Q + q] = total;
}

int main()
{
    const size_t batch = 5, R = 19, S = 27, Q = 13;
    const size_t nx = R * S, ny = S * Q, nz = R * Q;
    int *X, *Y, *Z;
    cudaMallocManaged(&X, batch * nx * sizeof(int));
    cudaMallocManaged(&Y, batch * ny * sizeof(int));
    cudaMallocManaged(&Z, batch * nz * sizeof(int));
    for (size_t i = 0; i < batch * nx; ++i) X[i] = rand() % 21 - 10;
    for (size_t i = 0; i < batch * ny; ++i) Y[i] = rand() % 21 - 10;

    dim3 threads(8, 8);
    dim3 blocks((Q + 7) / 8, (R + 7) / 8, batch);
    bmm<<<blocks, threads>>>(X, nx, Y, ny, Z, nz, R, S, Q);
    if (cudaDeviceSynchronize() != cudaSuccess) { puts("launch failed"); return 2; }

    for (size_t b = 0; b < batch; ++b)
        for (size_t i = 0; i < R; ++i)
            for (size_t j = 0; j < Q; ++j) {
                int s = 0;
                for (size_t k = 0; k < S; ++k) s += X[b * nx + i * S + k] * Y[b * ny + k * Q + j];
                if (s != Z[b * nz + i * Q + j]) { printf("mismatch %zu %zu %zu\n", b, i, j); return 1; }
            }
    puts("all batches ok");
    cudaFree(X); cudaFree(Y); cudaFree(Z);
    return 0;
}
