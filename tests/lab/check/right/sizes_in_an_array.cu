// Three sizes in an array of constant memory.
__constant__ int dims[3];

__global__ void mm(const float *A, const float *B, float *C)
{
    const int M = dims[0], K = dims[1], N = dims[2];
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < M && c < N) {
        float s = 0;
        for (int k = 0; k < K; ++k) s += A[r * K + k] * B[k * N + c];
        C[r * N + c] = s;
    }
}
