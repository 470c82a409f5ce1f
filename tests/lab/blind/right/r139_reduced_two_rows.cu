/* reduced product of int matrices, two result rows per thread
 *
 *   A  rowsA x len    (rowsA even)
 *   B  len x colsB    (colsB even)
 *   C  rowsA/2 x colsB/2
 *
 * block (64, 2), grid.x = ceil(colsB/2 / 64), grid.y = ceil(rowsA/2 / 4)
 */
#define BX 64
#define BY 2

__global__ void rmm2(int *C, const int *A, const int *B, int rowsA, int colsB, int len)
{
    int h = rowsA >> 1;
    int w = colsB >> 1;
    int j = blockIdx.x * BX + threadIdx.x;
    int i0 = blockIdx.y * (2 * BY) + threadIdx.y;
    int i1 = i0 + BY;
    int sum0 = 0;
    int sum1 = 0;

    if (j >= w)
        return;

    for (int k = 0; k < len; k++) {
        int b = B[k * colsB + 2 * j] + B[k * colsB + 2 * j + 1];
        if (i0 < h)
            sum0 += (A[2 * i0 * len + k] + A[(2 * i0 + 1) * len + k]) * b;
        if (i1 < h)
            sum1 += (A[2 * i1 * len + k] + A[(2 * i1 + 1) * len + k]) * b;
    }

    if (i0 < h) C[i0 * w + j] = sum0;
    if (i1 < h) C[i1 * w + j] = sum1;
}
