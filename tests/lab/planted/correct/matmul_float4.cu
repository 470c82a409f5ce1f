// Tiled matrix multiplication with 128-bit loads and stores: a thread computes four neighbouring elements of C.
// C (m, n) = A (m, k) * B (k, n); all sizes are multiples of 32. Style: float4 in global and in shared memory.

#define TILE 32

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float4 As[TILE][TILE / 4];
    __shared__ float4 Bs[TILE][TILE / 4];
    int tx = threadIdx.x, ty = threadIdx.y;  // 8 x 32 threads
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + 4 * tx;

    float4 sum = make_float4(0, 0, 0, 0);
    for (int t = 0; t < k; t += TILE) {
        As[ty][tx] = *reinterpret_cast<const float4*>(&A[row * k + t + 4 * tx]);
        Bs[ty][tx] = *reinterpret_cast<const float4*>(&B[(t + ty) * n + col]);
        __syncthreads();

        for (int i = 0; i < TILE; ++i) {
            float a = reinterpret_cast<const float*>(As[ty])[i];
            float4 b = Bs[i][tx];
            sum.x += a * b.x;
            sum.y += a * b.y;
            sum.z += a * b.z;
            sum.w += a * b.w;
        }
        __syncthreads();
    }
    *reinterpret_cast<float4*>(&C[row * n + col]) = sum;
}
