// Two columns a thread, its place as an int2; the grid from a helper that returns a dim3.
__device__ int2 place() { return make_int2(blockIdx.x * 32 + threadIdx.x * 2, blockIdx.y * 16 + threadIdx.y); }
__global__ void two_columns(const float* A, const float* B, float* C, int2 sizesA, int colsB)
{
    int2 p = place();
    if (p.y >= sizesA.x) return;
    float2 s = {0, 0};
    for (int i = 0; i < sizesA.y; ++i) {
        float a = A[p.y * sizesA.y + i];
        if (p.x < colsB) s.x += a * B[i * colsB + p.x];
        if (p.x + 1 < colsB) s.y += a * B[i * colsB + p.x + 1];
    }
    if (p.x < colsB) C[p.y * colsB + p.x] = s.x;
    if (p.x + 1 < colsB) C[p.y * colsB + p.x + 1] = s.y;
}
