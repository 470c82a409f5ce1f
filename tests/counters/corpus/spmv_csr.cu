// Sparse matrix times vector in CSR form, a row per thread: rows of unequal length diverge, x is gathered.
// starts: rows + 1 places in columns and values.

extern "C" __global__ void spmv_csr(
    const int* starts, const int* columns, const double* values, const double* x, double* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double sum = 0.0;
        for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
        y[row] = sum;
    }
}
