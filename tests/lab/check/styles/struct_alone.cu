// Matrices that know their rows and columns; nothing says how they are launched.
struct Grid { int n_rows; int n_cols; float* cells; };
__global__ void multiply(Grid left, Grid right, Grid out)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= out.n_rows || j >= out.n_cols) return;
    float sum = 0;
    for (int k = 0; k < left.n_cols; ++k) sum += left.cells[i * left.n_cols + k] * right.cells[k * right.n_cols + j];
    out.cells[i * out.n_cols + j] = sum;
}
