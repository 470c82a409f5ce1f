// C(i,j) = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1]);  A is 2m x k, B is k x 2n.
// The tiles hold the unreduced numbers; the sums are made while multiplying.
// Launch with dim3(TILE, TILE) threads on a grid of (ceil(n/TILE), ceil(m/TILE)) blocks.

#define TILE 16

__global__ void reducedProduct(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float Ash[2 * TILE][TILE];
    __shared__ float Bsh[TILE][2 * TILE];

    const int x = threadIdx.x, y = threadIdx.y;
    const int rowA = blockIdx.y * 2 * TILE;
    const int colB = blockIdx.x * 2 * TILE;
    float acc = 0;

    for (int k0 = 0; k0 < k; k0 += TILE) {
        for (int h = 0; h < 2; ++h) {
            int r = y + h * TILE;
            Ash[r][x] = (rowA + r < 2 * m && k0 + x < k) ? A[(rowA + r) * k + k0 + x] : 0;
            int c = x + h * TILE;
            Bsh[y][c] = (colB + c < n && k0 + y < k) ? B[(k0 + y) * 2 * n + colB + c] : 0;
        }
        __syncthreads();
        for (int q = 0; q < TILE; ++q)
            acc += (Ash[2 * y][q] + Ash[2 * y + 1][q]) * (Bsh[q][2 * x] + Bsh[q][2 * x + 1]);
        __syncthreads();
    }

    int i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
    if (i < m && j < n)
        C[i * n + j] = acc;
}
