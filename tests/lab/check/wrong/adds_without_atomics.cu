// Parts of the inner dimension in z, added up with atomics into zeros.
#define CHUNK 32
__global__ void splitk(const float *A, const float *B, float *C, int M, int N, int K)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= M || c >= N) return;
    float s = 0;
    int end = min(K, (int)(blockIdx.z + 1) * CHUNK);
    for (int k = blockIdx.z * CHUNK; k < end; ++k) s += A[r * K + k] * B[k * N + c];
    C[r * N + c] += s;
}
int main()
{
    int M = 100, N = 80, K = 128;
    float *a, *b, *c;
    cudaMalloc(&a, M * K * 4); cudaMalloc(&b, K * N * 4); cudaMalloc(&c, M * N * 4);
    cudaMemset(c, 0, M * N * sizeof(float));
    dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16, (K + CHUNK - 1) / CHUNK);
    splitk<<<grid, block>>>(a, b, c, M, N, K);
}
