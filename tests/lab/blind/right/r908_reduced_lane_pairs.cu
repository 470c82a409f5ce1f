// Full product on 32 x 16 tiles, then the 2 x 2 squares are folded in registers:
// neighbouring lanes hold neighbouring columns, each thread holds two neighbouring rows.
// Block (32, 8). Grid (ceil(2n / 32), ceil(2m / 16)).
// A: 2m x k, B: k x 2n, C: m x n

#define TX 32
#define TY 8
#define TK 16

__global__ void squares(const double *A, const double *B, double *C, int m, int n, int k)
{
    __shared__ double a[2 * TY][TK];
    __shared__ double b[TK][TX];

    const int R = 2 * m, S = 2 * n;
    const int lane = threadIdx.x;
    const int tid = threadIdx.y * TX + lane;
    const int col = blockIdx.x * TX + lane;
    const int top = blockIdx.y * 2 * TY;

    double s0 = 0, s1 = 0;
    for (int z = 0; z < k; z += TK) {
        // 16 x 16 elements, 256 threads
        int lr = tid / TK, lk = tid % TK;
        a[lr][lk] = (top + lr < R && z + lk < k) ? A[(top + lr) * k + z + lk] : 0.0;

        for (int r = threadIdx.y; r < TK; r += TY)
            b[r][lane] = (z + r < k && col < S) ? B[(z + r) * S + col] : 0.0;
        __syncthreads();

        for (int q = 0; q < TK; q++) {
            s0 += a[2 * threadIdx.y][q] * b[q][lane];
            s1 += a[2 * threadIdx.y + 1][q] * b[q][lane];
        }
        __syncthreads();
    }

    double v = s0 + s1;
    v += __shfl_xor_sync(0xffffffffu, v, 1);

    int i = blockIdx.y * TY + threadIdx.y;
    if ((lane & 1) == 0 && i < m && col < S)
        C[i * n + col / 2] = v;
}
