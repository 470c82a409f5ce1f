// Матрица на вектор: y = A * x, A: rows x cols по строкам, размеры любые.
// Каждый поток считает одну строку, x читается кусками через общую память.
//
// Запуск: matvec<<<(rows + 127) / 128, 128>>>(A, x, y, rows, cols);

#define CHUNK 128

__global__ void matvec(const double *A, const double *x, double *y, int rows, int cols)
{
    __shared__ double xs[CHUNK];

    int row = blockIdx.x * CHUNK + threadIdx.x;
    if (row >= rows)
        return;

    double acc = 0.0;
    for (int start = 0; start < cols; start += CHUNK) {
        int c = start + threadIdx.x;
        xs[threadIdx.x] = c < cols ? x[c] : 0.0;
        __syncthreads();

        int count = min(CHUNK, cols - start);
        for (int i = 0; i < count; i++)
            acc += A[(size_t)row * cols + start + i] * xs[i];
        __syncthreads();
    }
    y[row] = acc;
}
