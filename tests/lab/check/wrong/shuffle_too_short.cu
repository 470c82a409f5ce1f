// A warp for each element of C, summed by shuffles.
__global__ void dot_products(const float *A, const float *B, float *C, int M, int K, int N)
{
    int gw = (threadIdx.x + blockIdx.x * blockDim.x) >> 5;
    int lane = threadIdx.x & 31;
    int i = gw / N, j = gw % N;
    if (i >= M) return;
    float s = 0;
    for (int k = lane; k < K; k += 32) s += A[i * K + k] * B[k * N + j];
    for (int o = 8; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) C[i * N + j] = s;
}
