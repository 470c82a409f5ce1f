// A warp for each row of C: lane after lane takes a column.
__global__ void matmul_warp_row(const float *A, const float *B, float *C, int rows, int inner, int cols)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp >= rows) return;
    for (int c = lane; c < cols; c += 32) {
        float s = 0.f;
        for (int k = 0; k < inner; k++)
            s += A[warp * inner + k] * B[k * cols + c];
        C[warp * cols + c] = s;
    }
}
