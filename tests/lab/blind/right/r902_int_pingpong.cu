// Integer product with two shared stages. Launch: dim3 block(T, T),
// grid(ceil(n / T), ceil(m / T)); k may be anything, also 0.
constexpr int T = 16;

__device__ __forceinline__ void fetch(int (*pa)[T], int (*pb)[T], const int* a, const int* b,
                                      int row, int col, int base, int m, int n, int k)
{
    int x = threadIdx.x, y = threadIdx.y;
    pa[y][x] = (row < m && base + x < k) ? a[row * k + base + x] : 0;
    pb[y][x] = (base + y < k && col < n) ? b[(base + y) * n + col] : 0;
}

__global__ void imatmul(int* c, const int* a, const int* b, int m, int n, int k)
{
    __shared__ int A2[2][T][T];
    __shared__ int B2[2][T][T];

    int col = blockIdx.x * T + threadIdx.x;
    int row = blockIdx.y * T + threadIdx.y;
    int steps = (k + T - 1) / T;
    int cur = 0, total = 0;

    fetch(A2[0], B2[0], a, b, row, col, 0, m, n, k);

    for (int s = 0; s < steps; ++s) {
        // one barrier per step: it publishes stage cur and also tells us that
        // everybody has finished with the other stage
        __syncthreads();
        if (s + 1 < steps)
            fetch(A2[cur ^ 1], B2[cur ^ 1], a, b, row, col, (s + 1) * T, m, n, k);
        for (int q = 0; q < T; ++q)
            total += A2[cur][threadIdx.y][q] * B2[cur][q][threadIdx.x];
        cur ^= 1;
    }

    if (row < m && col < n)
        c[row * n + col] = total;
}
