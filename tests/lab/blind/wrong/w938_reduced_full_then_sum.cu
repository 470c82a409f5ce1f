// Reduced matrix product: the block first computes a 16 x 16 tile of the full product
// (A: 2m x k, B: k x 2n), then adds up its 2 x 2 squares into 8 x 8 entries of C.
// block (16, 16), grid (ceil(n / 8), ceil(m / 8))
const int F = 16;

__global__ void full_then_sum(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float a[F][F], b[F][F];
    __shared__ float full[F][F + 1];

    int x = threadIdx.x, y = threadIdx.y;
    int r = blockIdx.y * F + y;
    int c = blockIdx.x * F + x;

    float s = 0;
    for (int k0 = 0; k0 < k; k0 += F) {
        a[y][x] = (r < 2 * m && k0 + x < k) ? A[r * k + k0 + x] : 0;
        b[y][x] = (k0 + y < k && c < 2 * n) ? B[(k0 + y) * 2 * n + c] : 0;
        __syncthreads();
        for (int q = 0; q < F; q++)
            s += a[y][q] * b[q][x];
        __syncthreads();
    }
    full[y][x] = s;
    __syncthreads();

    if (x < F / 2 && y < F / 2) {
        int i = blockIdx.y * (F / 2) + y;
        int j = blockIdx.x * (F / 2) + x;
        if (i < m && j < n)
            C[i * n + j] = full[2 * y][2 * x] + full[2 * y][2 * x + 1]
                         + full[2 * y + 1][x] + full[2 * y + 1][2 * x + 1];
    }
}
