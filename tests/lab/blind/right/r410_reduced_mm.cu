// HW4: reduced matrix multiplication.
// Input: A, B are n x n, row major, n even (n <= 32768).
// Output: C is (n/2) x (n/2);
//   C[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1],  P = A*B.
// Since the sum distributes, we add row pairs of A and column pairs of B
// when filling the tiles and do an ordinary (n/2) x n x (n/2) product.
//
// launch: grid = dim3(ceil(h/16), ceil(h/16)) with h = n/2, block = dim3(16,16)

#define TW 16

__global__ void reducedMM(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TW][TW];
    __shared__ float Bs[TW][TW];

    int h = n / 2;
    int i = blockIdx.y * TW + threadIdx.y;
    int j = blockIdx.x * TW + threadIdx.x;
    float acc = 0.0f;

    for (int t = 0; t < (n + TW - 1) / TW; t++) {
        int ka = t * TW + threadIdx.x;
        int kb = t * TW + threadIdx.y;

        float a = 0.0f, b = 0.0f;
        if (i < h && ka < n)
            a = A[(2 * i) * n + ka] + A[(2 * i + 1) * n + ka];
        if (j < h && kb < n)
            b = B[kb * n + 2 * j] + B[kb * n + 2 * j + 1];
        As[threadIdx.y][threadIdx.x] = a;
        Bs[threadIdx.y][threadIdx.x] = b;
        __syncthreads();

        for (int k = 0; k < TW; k++)
            acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }

    if (i < h && j < h)
        C[i * h + j] = acc;
}
