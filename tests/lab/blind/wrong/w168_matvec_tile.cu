// 行列とベクトルの積  y = A * x   (A: m x n)
// ベクトル x を共有メモリにタイルごとに読み込む

#define BS 128

__global__ void gemv_tile(int m, int n, const float *A, const float *x, float *y)
{
    __shared__ float xs[BS];

    int row = blockIdx.x * BS + threadIdx.x;
    float sum = 0.0f;

    for (int p = 0; p < (n + BS - 1) / BS; p++) {
        xs[threadIdx.x] = x[p * BS + threadIdx.x];
        __syncthreads();

        int len = min(BS, n - p * BS);
        if (row < m) {
            for (int j = 0; j < len; j++)
                sum += A[row * n + p * BS + j] * xs[j];
        }
        __syncthreads();
    }

    if (row < m)
        y[row] = sum;
}

void gemv(int m, int n, const float *dA, const float *dx, float *dy)
{
    gemv_tile<<<(m + BS - 1) / BS, BS>>>(m, n, dA, dx, dy);
}
