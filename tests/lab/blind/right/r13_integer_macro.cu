// int matrices, indexing with a macro
#define AT(mat, r, c, cols) ((mat)[(r) * (cols) + (c)])

// zero everything first (not needed for matmul_int, it writes each element)
__global__ void clear_matrix(int *m, int rows, int cols)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < rows * cols)
        m[idx] = 0;
}

/* launched with 8x8 threads, gridDim.x covers the columns and gridDim.y the rows of the output */
__global__ void matmul_int(int rows, int cols, int inner, int *lhs, int *rhs, int *out)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;

    if (r < rows && c < cols) {
        int total = 0;
        int i = 0;
        while (i < inner) {
            total = total + AT(lhs, r, i, inner) * AT(rhs, i, c, cols);
            i++;
        }
        AT(out, r, c, cols) = total;
    }
}
