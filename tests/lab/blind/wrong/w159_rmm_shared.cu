// RMM with shared memory, HW3
// one thread -> one element of C (size (m/2) x (n/2))
#define T 16

__global__ void rmm_shared(float *C, const float *A, const float *B,
                           int m, int n, int p)
{
    // A is m x p, B is p x n
    __shared__ float tileA[2 * T][T];
    __shared__ float tileB[T][T];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * T + ty;
    int j = blockIdx.x * T + tx;
    int h = m / 2, w = n / 2;

    float acc = 0.0f;

    for (int t = 0; t < (p + T - 1) / T; t++) {
        int ka = t * T + tx;
        int kb = t * T + ty;

        // two rows of A
        if (i < h && ka < p) {
            tileA[2 * ty][tx]     = A[(2 * i) * p + ka];
            tileA[2 * ty + 1][tx] = A[(2 * i + 1) * p + ka];
        } else {
            tileA[2 * ty][tx]     = 0.0f;
            tileA[2 * ty + 1][tx] = 0.0f;
        }

        // two columns of B
        if (kb < p && j < w) {
            tileB[ty][2 * tx]     = B[kb * n + 2 * j];
            tileB[ty][2 * tx + 1] = B[kb * n + 2 * j + 1];
        } else {
            tileB[ty][2 * tx]     = 0.0f;
            tileB[ty][2 * tx + 1] = 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < T; k++)
            acc += (tileA[2 * ty][k] + tileA[2 * ty + 1][k]) *
                   (tileB[k][2 * tx] + tileB[k][2 * tx + 1]);
        __syncthreads();
    }

    if (i < h && j < w)
        C[i * w + j] = acc;
}
