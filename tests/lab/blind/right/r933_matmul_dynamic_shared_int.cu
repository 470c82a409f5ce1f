#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

// integer matrix product, tile width chosen at run time (square blocks)
__global__ void imatmul(const int *a, const int *b, int *c, int m, int k, int n)
{
    extern __shared__ int pool[];
    const int w = blockDim.x;
    int *ta = pool;
    int *tb = pool + w * w;

    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * w + x;
    int row = blockIdx.y * w + y;

    int total = 0;
    int steps = (k - 1) / w + 1;
    for (int s = 0; s < steps; s++) {
        int ka = s * w + x;
        int kb = s * w + y;
        ta[y * w + x] = 0;
        tb[y * w + x] = 0;
        if (row < m && ka < k) ta[y * w + x] = a[row * k + ka];
        if (kb < k && col < n) tb[y * w + x] = b[kb * n + col];
        __syncthreads();
        int lim = min(w, k - s * w);
        for (int i = 0; i < lim; i++)
            total += ta[y * w + i] * tb[i * w + x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = total;
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 8;
    if (w < 1 || w > 32) { printf("tile width 1..32\n"); return 2; }
    const int m = 45, k = 29, n = 50;
    std::vector<int> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; i++) a[i] = i % 13 - 6;
    for (int i = 0; i < k * n; i++) b[i] = i % 11 - 5;

    int *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(int));
    cudaMalloc(&db, b.size() * sizeof(int));
    cudaMalloc(&dc, c.size() * sizeof(int));
    cudaMemcpy(da, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(int), cudaMemcpyHostToDevice);

    dim3 tb(w, w), gr((n + w - 1) / w, (m + w - 1) / w);
    imatmul<<<gr, tb, 2 * w * w * sizeof(int)>>>(da, db, dc, m, k, n);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int ref = 0;
            for (int q = 0; q < k; q++) ref += a[i * k + q] * b[q * n + j];
            bad += ref != c[i * n + j];
        }
    printf("%d wrong entries\n", bad);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return bad != 0;
}
