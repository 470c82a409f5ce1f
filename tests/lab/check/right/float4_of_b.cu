// Four neighbouring columns for each thread. Assumes that N is a multiple of 4.
__global__ void vec4(const float *A, const float4 *B, float4 *C, int M, int N, int K)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= M || q >= N / 4) return;
    float4 s = make_float4(0, 0, 0, 0);
    for (int k = 0; k < K; ++k) {
        float a = A[r * K + k];
        float4 b = B[k * (N / 4) + q];
        s.x += a * b.x; s.y += a * b.y; s.z += a * b.z; s.w += a * b.w;
    }
    C[r * (N / 4) + q] = s;
}
