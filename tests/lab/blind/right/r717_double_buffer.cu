/*
 * Double-buffered tile product, one barrier per tile.
 *
 *   C = A * B        A: M x K, B: K x N, C: M x N, row major
 *
 * M, N and K are positive multiples of BS (we pad our matrices anyway).
 *
 * launch: dim3 grid(N / BS, M / BS);
 *         gemm_db<BS><<<grid, BS * BS>>>(A, B, C, N, K);
 * Threads are 1-D inside the block. BS is 8, 16 or 32.
 */

template <int BS>
__global__ void gemm_db(const float *__restrict__ A, const float *__restrict__ B,
                        float *__restrict__ C, int N, int K)
{
    __shared__ float As[2][BS][BS];
    __shared__ float Bs[2][BS][BS];

    const int r = threadIdx.x / BS;
    const int c = threadIdx.x % BS;

    const float *pa = A + (blockIdx.y * BS + r) * K + c;
    const float *pb = B + r * N + blockIdx.x * BS + c;

    const int tiles = K / BS;
    int cur = 0;

    As[0][r][c] = *pa;
    Bs[0][r][c] = *pb;
    __syncthreads();

    float sum = 0.0f;
    for (int t = 0; t < tiles; t++) {
        const int nxt = cur ^ 1;
        if (t + 1 < tiles) {
            pa += BS;
            pb += BS * N;
            As[nxt][r][c] = *pa;
            Bs[nxt][r][c] = *pb;
        }

        #pragma unroll
        for (int k = 0; k < BS; k++)
            sum += As[cur][r][k] * Bs[cur][k][c];

        __syncthreads();
        cur = nxt;
    }

    C[(blockIdx.y * BS + r) * N + blockIdx.x * BS + c] = sum;
}

template __global__ void gemm_db<8>(const float *, const float *, float *, int, int);
template __global__ void gemm_db<16>(const float *, const float *, float *, int, int);
template __global__ void gemm_db<32>(const float *, const float *, float *, int, int);
