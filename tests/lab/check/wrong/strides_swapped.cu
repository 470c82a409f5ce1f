// The host copies the sizes with cudaMemcpyToSymbol.
__constant__ int d_M, d_N, d_K;

__global__ void mm(const float *A, const float *B, float *C)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= d_M || c >= d_N) return;
    float s = 0;
    for (int k = 0; k < d_K; ++k) s += A[r * d_K + k] * B[k * d_N + c];
    C[r * d_M + c] = s;
}
