// A type and a tile, and nobody says which.
template <typename T, int TILE>
__global__ void tiled(const T *A, const T *B, T *C, int m, int k, int n)
{
    __shared__ T As[TILE][TILE], Bs[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    T s = 0;
    for (int t = 0; t < k / TILE; ++t) {
        As[threadIdx.y][threadIdx.x] = y < m && t * TILE + threadIdx.x < k ? A[y * k + t * TILE + threadIdx.x] : T(0);
        Bs[threadIdx.y][threadIdx.x] = x < n && t * TILE + threadIdx.y < k ? B[(t * TILE + threadIdx.y) * n + x] : T(0);
        __syncthreads();
        for (int i = 0; i < TILE; ++i) s += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < m) C[y * n + x] = s;
}
