// out (M x N) = lhs (M x K) * rhs (K x N), row major, M, N and K arbitrary.
// 16 x 16 threads, grid.x over the columns, grid.y over the rows (rounded up).

__global__ void product16(float* __restrict__ out,
                          const float* __restrict__ lhs,
                          const float* __restrict__ rhs,
                          unsigned M, unsigned N, unsigned K)
{
    __shared__ float l[16][17];
    __shared__ float r[16][17];

    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const unsigned row = (blockIdx.y << 4) + ty;
    const unsigned col = (blockIdx.x << 4) + tx;
    const unsigned slices = K >> 4;

    float acc = 0.0f;
    for (unsigned s = 0; s < slices; ++s) {
        const unsigned kl = (s << 4) + tx;
        const unsigned kr = (s << 4) + ty;
        l[ty][tx] = (row < M && kl < K) ? lhs[row * K + kl] : 0.0f;
        r[ty][tx] = (kr < K && col < N) ? rhs[kr * N + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < 16; ++k)
            acc += l[ty][k] * r[k][tx];
        __syncthreads();
    }

    if (row < M && col < N)
        out[row * N + col] = acc;
}
