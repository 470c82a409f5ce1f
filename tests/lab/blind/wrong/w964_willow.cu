// Tiled product, any m, n, k.
//   int t = 8 or 16 or 32;
//   dim3 threads(t, t), blocks((n + t - 1) / t, (m + t - 1) / t);
//   product<<<blocks, threads, 2 * t * t * sizeof(float)>>>(A, B, C, m, n, k, t);
__global__ void product(const float* A, const float* B, float* C, int m, int n, int k, int t)
{
    extern __shared__ float shared[];
    float* a = shared;
    float* b = &shared[t * t];

    int row = blockIdx.y * t + threadIdx.y;
    int col = blockIdx.x * t + threadIdx.x;
    if (row >= m || col >= n) return;

    int me = threadIdx.y * t + threadIdx.x;
    float sum = 0;
    for (int step = 0; step < k; step += t)
    {
        if (step + threadIdx.x < k)
            a[me] = A[row * k + step + threadIdx.x];
        else
            a[me] = 0;
        if (step + threadIdx.y < k)
            b[me] = B[(step + threadIdx.y) * n + col];
        else
            b[me] = 0;
        __syncthreads();

        for (int i = 0; i < t; i++)
            sum += a[threadIdx.y * t + i] * b[i * t + threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}
