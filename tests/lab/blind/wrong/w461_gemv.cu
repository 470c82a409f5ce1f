// y = A * x, A row-major with nRow rows and nCol columns
// one thread per row, x goes through shared memory piece by piece
// launch: gemv<<<(nRow + 127) / 128, 128>>>(...)

#define PIECE 128

__global__ void gemv(const float *A, const float *x, float *y, int nRow, int nCol)
{
    __shared__ float sx[PIECE];

    int row = blockIdx.x * PIECE + threadIdx.x;
    if (row >= nRow)
        return;

    float dot = 0.0f;
    for (int base = 0; base < nCol; base += PIECE) {
        int c = base + threadIdx.x;
        sx[threadIdx.x] = (c < nCol) ? x[c] : 0.0f;
        __syncthreads();

        int len = min(PIECE, nCol - base);
        for (int i = 0; i < len; i++)
            dot += A[row * nCol + base + i] * sx[i];
        __syncthreads();
    }
    y[row] = dot;
}
