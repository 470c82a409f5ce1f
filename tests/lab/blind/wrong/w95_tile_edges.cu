// matrix product for arbitrary sizes, tile 32
// A: rows_a x cols_a,  B: cols_a x cols_b
// grid = ( ceil(cols_b / 32), ceil(rows_a / 32) ), block = ( 32, 32 )

#define T 32

__global__ void matprod(float *A, float *B, float *C, int rows_a, int cols_a, int cols_b)
{
    __shared__ float As[T][T], Bs[T][T];

    int ty = threadIdx.y, tx = threadIdx.x;
    int i = blockIdx.y * T + ty;
    int j = blockIdx.x * T + tx;
    int nt = (cols_a + T - 1) / T;
    float s = 0;

    for (int t = 0; t < nt; t++) {
        int ca = t * T + tx;
        int rb = t * T + ty;

        if (i < rows_a && ca < cols_a)
            As[ty][tx] = A[i * cols_a + ca];

        if (rb < cols_a && j < cols_b)
            Bs[ty][tx] = B[rb * cols_b + j];

        __syncthreads();

        for (int k = 0; k < T; k++)
            s += As[ty][k] * Bs[k][tx];

        __syncthreads();
    }

    if (i < rows_a && j < cols_b)
        C[i * cols_b + j] = s;
}
