#include <stdio.h>
#define BLOCK_SIZE 16
#define IDX(i, j, ld) ((i) * (ld) + (j))
#define ROW (blockIdx.y * BLOCK_SIZE + threadIdx.y)
#define COL (blockIdx.x * BLOCK_SIZE + threadIdx.x)
__global__ void mm(float *c, const float *a, const float *b, int m, int n, int p)
{
    if (ROW < m && COL < p) {
        float t = 0.f;
        for (int k = 0; k < n; k++)
            t += a[IDX(ROW, k, n)] * b[IDX(k, COL, p)];
        c[IDX(ROW, COL, p)] = t;
    }
}
int main(void)
{
    int m, n, p;
    if (scanf("%d %d %d", &m, &n, &p) != 3) return 1;
    float *a, *b, *c;
    cudaMallocManaged(&a, m * n * 4); cudaMallocManaged(&b, n * p * 4); cudaMallocManaged(&c, m * p * 4);
    dim3 threads(BLOCK_SIZE, BLOCK_SIZE);
    dim3 blocks(ceil((float)p / BLOCK_SIZE), ceil((float)m / BLOCK_SIZE));
    mm<<<blocks, threads>>>(c, a, b, m, n, p);
}
