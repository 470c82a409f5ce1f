// Each thread computes two elements, a tile's width apart.
#define TILE 16

__global__ void matmulCoarse(float *P, const float *M, const float *N, int m, int k, int n)
{
    __shared__ float Ms[TILE][TILE];
    __shared__ float Ns[TILE][2 * TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE * 2 + tx;
    float p0 = 0, p1 = 0;
    for (int ph = 0; ph < (k + TILE - 1) / TILE; ++ph) {
        int kc = ph * TILE + tx, kr = ph * TILE + ty;
        Ms[ty][tx] = row < m && kc < k ? M[row * k + kc] : 0;
        Ns[ty][tx] = kr < k && col < n ? N[kr * n + col] : 0;
        Ns[ty][tx + TILE] = kr < k && col + TILE < n ? N[kr * n + col + TILE] : 0;
        __syncthreads();
        for (int i = 0; i < TILE - 1; ++i) {
            p0 += Ms[ty][i] * Ns[i][tx];
            p1 += Ms[ty][i] * Ns[i][tx + TILE];
        }
        __syncthreads();
    }
    if (row < m && col < n) P[row * n + col] = p0;
    if (row < m && col + TILE < n) P[row * n + col + TILE] = p1;
}
