// Double precision product. A fixed number of blocks walks over all output tiles,
// so any one-dimensional grid works. blockDim must be (16, 16).
#define T 16

__global__ void dmul_walk(const double *A, const double *B, double *C,
                          int n, int m, int p)      // A: n x m, B: m x p
{
    __shared__ double at[T][T + 1], bt[T][T + 1];

    int tilesAcross = (p + T - 1) / T;
    int tilesDown = (n + T - 1) / T;
    int tx = threadIdx.x, ty = threadIdx.y;

    for (int tile = blockIdx.x; tile < tilesAcross * tilesDown; tile += gridDim.x) {
        int i = (tile / tilesAcross) * T + ty;
        int j = (tile % tilesAcross) * T + tx;
        double s = 0;

        for (int k = 0; k < m; k += T) {
            at[ty][tx] = (i < n && k + tx < m) ? A[i * m + k + tx] : 0;
            bt[ty][tx] = (k + ty < m && j < p) ? B[(k + ty) * p + j] : 0;
            __syncthreads();
            #pragma unroll
            for (int q = 0; q < T; q++)
                s += at[ty][q] * bt[q][tx];
            __syncthreads();
        }

        if (i < n && j < p)
            C[i * p + j] = s;
    }
}

void dmul(const double *A, const double *B, double *C, int n, int m, int p)
{
    dmul_walk<<<40, dim3(T, T)>>>(A, B, C, n, m, p);
}
