/* Matrix multiplication where the row of A is kept in the registers of the warp
 * and handed around with __shfl_sync (instead of shared memory).
 *
 * 1 warp = 1 row of A and 32 columns of C.
 * block: 32 x 4 (4 warps); grid.x = columns / 32 rounded up; grid.y = rows / 4 rounded up
 */
__global__ void shfl_matmul(const float* A, const float* B, float* C, int rows, int inner, int cols)
{
    const unsigned all = 0xffffffffu;
    int lane = threadIdx.x;
    int col = blockIdx.x * 32 + lane;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row >= rows) return;   // same for the whole warp, ok with shfl

    float sum = 0.0f;
    for (int base = 0; base < inner; base += 32) {
        float a = 0.0f;
        if (base + lane < inner)
            a = A[row * inner + base + lane];

        int count = inner - base < 32 ? inner - base : 32;
        for (int k = 0; k < count; k++) {
            // all 32 lanes have to take part, also those right of the matrix
            float ak = __shfl_sync(all, a, k);
            if (col < cols)
                sum += ak * B[(base + k) * cols + col];
        }
    }
    if (col < cols)
        C[row * cols + col] = sum;
}
