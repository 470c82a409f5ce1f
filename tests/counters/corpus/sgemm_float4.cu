// C = A B with 128-bit global loads and stores and 4 x 4 sums per thread; A's tile is stored transposed.
// m and n are multiples of 64, k of 16. A: m x k, B: k x n, C: m x n.

#define TILE 64
#define DEPTH 16

extern "C" __global__ void
sgemm_float4(const float* __restrict__ A, const float* __restrict__ B, float* C, int n, int k)
{
    __shared__ float a_tile[DEPTH][TILE];
    __shared__ float b_tile[DEPTH][TILE];

    int t = threadIdx.x;
    int row = t / 16 * 4, column = t % 16 * 4;
    A += blockIdx.y * TILE * k;
    B += blockIdx.x * TILE;
    C += blockIdx.y * TILE * n + blockIdx.x * TILE;
    float sums[4][4] = {};

    for (int p0 = 0; p0 < k; p0 += DEPTH) {
        float4 a = *reinterpret_cast<const float4*>(&A[(t / 4) * k + p0 + t % 4 * 4]);
        a_tile[t % 4 * 4 + 0][t / 4] = a.x;
        a_tile[t % 4 * 4 + 1][t / 4] = a.y;
        a_tile[t % 4 * 4 + 2][t / 4] = a.z;
        a_tile[t % 4 * 4 + 3][t / 4] = a.w;
        *reinterpret_cast<float4*>(&b_tile[t / 16][column]) =
            *reinterpret_cast<const float4*>(&B[(p0 + t / 16) * n + column]);
        __syncthreads();

#pragma unroll
        for (int p = 0; p < DEPTH; ++p) {
            float4 left = *reinterpret_cast<const float4*>(&a_tile[p][row]);
            float4 right = *reinterpret_cast<const float4*>(&b_tile[p][column]);
            const float l[4] = {left.x, left.y, left.z, left.w};
            const float r[4] = {right.x, right.y, right.z, right.w};
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(l[i], r[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(&C[(row + i) * n + column]) =
            make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}
