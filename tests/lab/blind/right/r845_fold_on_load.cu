// Pooled GEMM: out[i][j] = sum of the 2x2 window of (A*B) whose top-left corner is (2i,2j).
//   A   [2*m][k]
//   B   [k][2*n]
//   out [m][n]
// The window sum factors into (row pair of A) . (column pair of B), so the pairs are
// added on the way into shared memory and only an m x n x k product is left.
//
// m, n, k: multiples of 16.  grid = (n/16, m/16), block = (16, 16).  B is 8-byte aligned.

extern "C" __global__ void pooled_gemm(const float* A, const float* B, float* out,
                                       int m, int n, int k)
{
    __shared__ float pa[16][16], pb[16][16];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * 16 + ty;
    int j = blockIdx.x * 16 + tx;

    const float*  a0 = A + (size_t)(2 * i) * k + tx;
    const float*  a1 = a0 + k;
    const float2* b  = (const float2*)B + (size_t)ty * n + j;   // a row of B is n float2

    float acc = 0.f;
    for (int left = k; left > 0; left -= 16) {
        float2 pair = *b;
        pa[ty][tx] = *a0 + *a1;
        pb[ty][tx] = pair.x + pair.y;
        a0 += 16;
        a1 += 16;
        b  += (size_t)16 * n;
        __syncthreads();

#pragma unroll
        for (int q = 0; q < 16; ++q)
            acc += pa[ty][q] * pb[q][tx];
        __syncthreads();
    }
    out[(size_t)i * n + j] = acc;
}
