// C = A * B with element macros
// block (16, 16), grid (ceil(n/16), ceil(m/16))
#define W 16
#define AT(M, r, c, w) M[r * w + c]

__global__ void mulMacro(int m, int n, int k, const float *A, const float *B, float *C)
{
    __shared__ float ta[W][W];
    __shared__ float tb[W][W];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * W + ty;
    int col = blockIdx.x * W + tx;
    float x = 0.0f;

    for (int base = 0; base < k; base += W) {
        ta[ty][tx] = 0.0f;
        tb[ty][tx] = 0.0f;
        if (row < m && base + tx < k)
            ta[ty][tx] = AT(A, row, base + tx, k);
        if (base + ty < k && col < n)
            tb[ty][tx] = AT(B, base + ty, col, n);
        __syncthreads();

        for (int q = 0; q < W; ++q)
            x = fmaf(ta[ty][q], tb[q][tx], x);
        __syncthreads();
    }

    if (row < m && col < n)
        AT(C, row, col, n) = x;
}
