// The tiles' side is blockDim.x, both tiles lie in dynamic shared memory.
__global__ void mm(const float *A, const float *B, float *C, int M, int N, int K)
{
    extern __shared__ float mem[];
    const int T = blockDim.x;
    float *as = mem, *bs = mem + T * T;
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float s = 0;
    for (int t = 0; t < K; t += T) {
        as[threadIdx.y * T + threadIdx.x] = row < M && t + threadIdx.x < K ? A[row * K + t + threadIdx.x] : 0;
        bs[threadIdx.y * T + threadIdx.x] = col < N && t + threadIdx.y < K ? B[(t + threadIdx.y) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < T; ++k) s += as[threadIdx.y * T + k] * bs[k * T + threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = s;
}
