// Complex matrix product, float2 = (re, im).
// C (m x n) = A (m x k) * B (k x n), 16 x 16 threads per block.

typedef float2 cplx;

__device__ inline cplx cmul_add(cplx s, cplx a, cplx b)
{
    s.x += a.x * b.x - a.y * b.y;
    s.y += a.x * b.y + a.y * b.x;
    return s;
}

__device__ inline cplx fetch(const cplx *mat, int r, int c, int rows, int cols)
{
    if (r < rows && c < cols)
        return mat[r * cols + c];
    return make_float2(0.0f, 0.0f);
}

__global__ void cgemm(const cplx *A, const cplx *B, cplx *C, int m, int n, int k)
{
    __shared__ cplx sa[16][16];
    __shared__ cplx sb[16][16];

    const int i = 16 * blockIdx.y + threadIdx.y;
    const int j = 16 * blockIdx.x + threadIdx.x;

    cplx s = {0.0f, 0.0f};
    int p = 0;
    while (p < k) {
        sa[threadIdx.y][threadIdx.x] = fetch(A, i, p + threadIdx.x, m, k);
        sb[threadIdx.y][threadIdx.x] = fetch(B, p + threadIdx.y, j, k, n);
        __syncthreads();

        for (int q = 0; q < 16; ++q)
            s = cmul_add(s, sa[threadIdx.y][q], sb[q][threadIdx.x]);
        __syncthreads();

        p += 16;
    }

    if (i < m && j < n)
        C[i * n + j] = s;
}
