#define KUAI 128

// y = A x，A 为 m×n 行主序，m、n 任意
// 启动: <<<(m + KUAI - 1) / KUAI, KUAI>>>，每个线程算一行
// x 分段放进共享内存
__global__ void juzhenXiangliang(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[KUAI];
    int t = threadIdx.x;
    int hang = blockIdx.x * KUAI + t;
    float he = 0.0f;

    for (int q = 0; q < n; q += KUAI) {
        if (q + t < n)
            xs[t] = x[q + t];
        __syncthreads();

        if (hang < m) {
            const float *a = A + (size_t)hang * n + q;
            for (int u = 0; u < KUAI; u++)
                he += a[u] * xs[u];
        }
        __syncthreads();
    }

    if (hang < m)
        y[hang] = he;
}
