// One block per element of the result, tree reduction inside the block.
// (exercise sheet 5, "use parallel reduction to compute C = A*B")
//
// Launch: grid (columns of C, rows of C), 128 threads per block.

#define NT 128

__global__ void matmul_reduce(const float* A, const float* B, float* C, int n, int m, int l)
{
    // A: n x m, B: m x l, C: n x l
    __shared__ float buf[NT];

    int i = blockIdx.y;
    int j = blockIdx.x;
    int t = threadIdx.x;

    float v = 0.0f;
    for (int k = t; k < m; k += NT)
        v += A[i * m + k] * B[k * l + j];
    buf[t] = v;
    __syncthreads();

    for (int stride = NT / 2; stride > 0; stride >>= 1) {
        if (t < stride)
            buf[t] += buf[t + stride];
        __syncthreads();
    }

    if (t == 0)
        C[i * l + j] = buf[0];
}
