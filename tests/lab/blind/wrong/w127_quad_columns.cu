// Every thread computes four neighbouring columns with vector loads.
// N must be a multiple of 4.
//   dim3 block(16, 16), grid((N / 4 + 15) / 16, (M + 15) / 16)
#include <cuda_runtime.h>

__global__ void matmul_quad(const float *A, const float *B, float *C,
                            int M, int N, int K)
{
    const float4 *B4 = reinterpret_cast<const float4 *>(B);
    float4 *C4 = reinterpret_cast<float4 *>(C);

    const int n4  = N / 4;
    const int q   = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (q >= n4 || row >= M)
        return;

    float4 sum = {0.f, 0.f, 0.f, 0.f};
    for (int k = 0; k < K; ++k) {
        const float  a = A[row * K + k];
        const float4 b = B4[k * N + q];
        sum.x = fmaf(a, b.x, sum.x);
        sum.y = fmaf(a, b.y, sum.y);
        sum.z = fmaf(a, b.z, sum.z);
        sum.w = fmaf(a, b.w, sum.w);
    }
    C4[row * n4 + q] = sum;
}
