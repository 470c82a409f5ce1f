// Each thread computes two entries of the full product that lie one above the other
// (rows 2i and 2i+1, one column); the neighbouring column comes by a warp shuffle.
// Launch: block (32, 8), grid (ceil(2n / 32), ceil(m / 8)).
#define WX 32
#define WY 8

__global__ void reducedShuffle(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float sa[2 * WY][WX];
    __shared__ float sb[WX][WX];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int fullRow = 2 * WY * blockIdx.y;     // first row of A for this block
    const int fullCol = WX * blockIdx.x + tx;    // column of B
    float upper = 0.0f, lower = 0.0f;

    for (int k0 = 0; k0 < k; k0 += WX) {
        for (int r = ty; r < 2 * WY; r += WY) {
            bool in = fullRow + r < 2 * m && k0 + tx < k;
            sa[r][tx] = in ? A[(fullRow + r) * k + k0 + tx] : 0.0f;
        }
        for (int r = ty; r < WX; r += WY) {
            bool in = k0 + r < k && fullCol < 2 * n;
            sb[r][tx] = in ? B[(k0 + r) * (2 * n) + fullCol] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < WX; q++) {
            upper += sa[2 * ty][q] * sb[q][tx];
            lower += sa[2 * ty + 1][q] * sb[q][tx];
        }
        __syncthreads();
    }

    float s = upper + lower;
    s += __shfl_xor_sync(0xffffffffu, s, 1);

    const int i = blockIdx.y * WY + ty;
    const int j = fullCol / 2;
    if (tx % 2 == 0 && i < m && j < n)
        C[i * n + j] = s;
}
