// integer matrix product, no shared memory; any 1D grid and block will do
__global__ void mulInt(int *c, const int *a, const int *b, int m, int n, int k)
{
    int total = m * n;
    int step = gridDim.x * blockDim.x;
    for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < total; idx += step) {
        int r = idx / n;
        int q = idx - r * n;
        int s = 0;
        for (int x = 0; x < k; x++)
            s += a[r * k + x] * b[x * n + q];
        c[idx] = s;
    }
}
