// Tiled matrix multiplication in which a thread computes 4 x 4 elements of C in registers.
// C (m, n) = A (m, k) * B (k, n); m and n are multiples of 32, k of 8. Style: register tiles, tiles that are not square.

#define TILE 32
#define DEPTH 8
#define PART 4

extern "C" __global__ void __launch_bounds__(64) matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[DEPTH][TILE];  // transposed
    __shared__ float Bs[DEPTH][TILE];
    int tid = threadIdx.x;
    int x = tid % (TILE / PART), y = tid / (TILE / PART);
    const float* first_of_A = A + blockIdx.y * TILE * k;
    const float* first_of_B = B + blockIdx.x * TILE;

    float sum[PART][PART] = {};
    for (int p = 0; p < k; p += DEPTH) {
        for (int e = tid; e < TILE * DEPTH; e += 64) {
            As[e % DEPTH][e / DEPTH] = first_of_A[e / DEPTH * k + p + e % DEPTH];
            Bs[e / TILE][e % TILE] = first_of_B[(p + e / TILE) * n + e % TILE];
        }
        __syncthreads();
        for (int d = 0; d < DEPTH; ++d) {
            float a[PART], b[PART];
            for (int i = 0; i < PART; ++i) {
                a[i] = As[d][PART * y + i];
                b[i] = Bs[d][PART * x + i];
            }
            for (int i = 0; i < PART; ++i)
                for (int j = 0; j < PART; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < PART; ++i)
        for (int j = 0; j < PART; ++j)
            C[(blockIdx.y * TILE + PART * y + i) * n + blockIdx.x * TILE + PART * x + j] = sum[i][j];
}
