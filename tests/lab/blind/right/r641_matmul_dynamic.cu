#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Square tiles of a width chosen at run time; both tiles lie in one dynamic array.
__global__ void mm_dyn(const float *a, const float *b, float *c, int n, int w)
{
    extern __shared__ float buf[];
    float *ta = buf;
    float *tb = buf + w * w;
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * w + x;
    int row = blockIdx.y * w + y;
    float v = 0;

    for (int t = 0; t < (n + w - 1) / w; t++) {
        int ca = t * w + x;
        int rb = t * w + y;
        ta[y * w + x] = (row < n && ca < n) ? a[row * n + ca] : 0;
        tb[y * w + x] = (rb < n && col < n) ? b[rb * n + col] : 0;
        __syncthreads();
        for (int p = 0; p < w; p++)
            v += ta[y * w + p] * tb[p * w + x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = v;
}

int main(void)
{
    const int n = 100;
    const int widths[] = {4, 7, 16, 25, 32};
    const size_t bytes = n * n * sizeof(float);
    float *a, *b, *c;
    cudaMallocManaged(&a, bytes);
    cudaMallocManaged(&b, bytes);
    cudaMallocManaged(&c, bytes);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 8);
        b[i] = (float)(i % 3) - 1;
    }

    int failures = 0;
    for (int w : widths) {
        dim3 threads(w, w), blocks((n + w - 1) / w, (n + w - 1) / w);
        mm_dyn<<<blocks, threads, 2 * w * w * sizeof(float)>>>(a, b, c, n, w);
        if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
            printf("width %d: launch failed\n", w);
            return 1;
        }
        int bad = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                float r = 0;
                for (int p = 0; p < n; p++) r += a[i * n + p] * b[p * n + j];
                if (r != c[i * n + j]) bad++;
            }
        printf("width %2d: %s\n", w, bad ? "bad" : "good");
        failures += bad != 0;
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return failures;
}
