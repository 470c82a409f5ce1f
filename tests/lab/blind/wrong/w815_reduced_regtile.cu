#include <cuda_runtime.h>
#include <cstddef>

// Reduced product with register tiling.
//   A: m x k, B: k x n (m, n even), C: (m/2) x (n/2), C(i,j) = sum of a 2x2 square of AB.
// A block of 16 x 16 threads computes 32 x 32 elements of C, a thread 2 x 2 of them.

#define W   16              // threads per side, also depth of a step
#define PER 2
#define SIDE (W * PER)

__global__ void reducedRegTile(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float sa[SIDE][W + 1];
    __shared__ float sb[W][SIDE];

    const int hm = m / 2, hn = n / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r0 = blockIdx.y * SIDE, c0 = blockIdx.x * SIDE;

    float acc[PER][PER] = {{0.0f, 0.0f}, {0.0f, 0.0f}};

    for (int k0 = 0; k0 < k; k0 += W) {
        #pragma unroll
        for (int u = 0; u < PER; ++u) {
            const int i = r0 + ty + u * W;
            const int ka = k0 + tx;
            float s = 0.0f;
            if (i < hm && ka < k)
                s = A[(size_t)(2 * i) * k + ka] + A[(size_t)(2 * i + 1) * k + ka];
            sa[ty + u * W][tx] = s;

            const int j = c0 + tx + u * W;
            const int kb = k0 + ty;
            float r = 0.0f;
            if (j < hn && kb < k)
                r = B[(size_t)kb * n + 2 * j] + B[(size_t)kb * n + 2 * j + 1];
            sb[ty][tx + u * W] = r;
        }
        __syncthreads();

        for (int q = 0; q < W; ++q) {
            float x[PER], y[PER];
            for (int u = 0; u < PER; ++u) {
                x[u] = sa[ty + u * W][q];
                y[u] = sb[q][tx * PER + u];
            }
            for (int u = 0; u < PER; ++u)
                for (int v = 0; v < PER; ++v)
                    acc[u][v] += x[u] * y[v];
        }
        __syncthreads();
    }

    for (int u = 0; u < PER; ++u)
        for (int v = 0; v < PER; ++v) {
            const int i = r0 + ty + u * W, j = c0 + tx + v * W;
            if (i < hm && j < hn)
                C[(size_t)i * hn + j] = acc[u][v];
        }
}

void run(const float* A, const float* B, float* C, int m, int n, int k)
{
    dim3 threads(W, W);
    dim3 blocks((n / 2 + SIDE - 1) / SIDE, (m / 2 + SIDE - 1) / SIDE);
    reducedRegTile<<<blocks, threads>>>(A, B, C, m, n, k);
}
