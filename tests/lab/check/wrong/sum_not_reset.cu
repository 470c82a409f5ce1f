// Threads in a line, each takes element after element, a grid apart.
__global__ void mm_stride(const float *A, const float *B, float *C, int M, int N, int K)
{
    float s = 0;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < M * N; e += blockDim.x * gridDim.x) {
        int r = e / N, c = e % N;
        for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
        C[e] = s;
    }
}
