/* Tall inner dimension: C is small (40 x 24) and k is large, so k is cut into
 * slices, one per blockIdx.z, and the slices are added up with atomicAdd. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define T 8
enum { ROWS = 40, COLS = 24, INNER = 5000, SLICES = 16 };

__global__ void splitk(const float *a, const float *b, float *c, int m, int n, int k, int slice)
{
    __shared__ float ta[T][T], tb[T][T];
    int i = blockIdx.y * T + threadIdx.y;
    int j = blockIdx.x * T + threadIdx.x;
    int first = blockIdx.z * slice;
    int last = min(first + slice, k);
    float part = 0.0f;

    for (int base = first; base < last; base += T) {
        int ka = base + threadIdx.x;
        int kb = base + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = (i < m && ka < last) ? a[i * k + ka] : 0.0f;
        tb[threadIdx.y][threadIdx.x] = (j < n && kb < last) ? b[kb * n + j] : 0.0f;
        __syncthreads();
        for (int q = 0; q < T; ++q)
            part += ta[threadIdx.y][q] * tb[q][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n)
        atomicAdd(&c[i * n + j], part);
}

int main(void)
{
    size_t na = (size_t)ROWS * INNER * sizeof(float);
    size_t nb = (size_t)INNER * COLS * sizeof(float);
    size_t nc = (size_t)ROWS * COLS * sizeof(float);
    float *ha, *hb, *hc, *a, *b, *c;
    cudaMallocHost((void **)&ha, na);
    cudaMallocHost((void **)&hb, nb);
    cudaMallocHost((void **)&hc, nc);
    for (int x = 0; x < ROWS * INNER; ++x) ha[x] = (float)(x % 3);
    for (int x = 0; x < INNER * COLS; ++x) hb[x] = (float)(x % 5) - 2.0f;

    cudaStream_t st;
    cudaStreamCreate(&st);
    cudaMalloc((void **)&a, na);
    cudaMalloc((void **)&b, nb);
    cudaMalloc((void **)&c, nc);
    cudaMemcpyAsync(a, ha, na, cudaMemcpyHostToDevice, st);
    cudaMemcpyAsync(b, hb, nb, cudaMemcpyHostToDevice, st);
    cudaMemsetAsync(c, 0, nc, st);

    int slice = (INNER + SLICES - 1) / SLICES;
    dim3 grid((COLS + T - 1) / T, (ROWS + T - 1) / T, SLICES);
    splitk<<<grid, dim3(T, T), 0, st>>>(a, b, c, ROWS, COLS, INNER, slice);
    cudaMemcpyAsync(hc, c, nc, cudaMemcpyDeviceToHost, st);
    cudaStreamSynchronize(st);

    int bad = 0;
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLS; ++j) {
            float s = 0.0f;
            for (int q = 0; q < INNER; ++q) s += ha[i * INNER + q] * hb[q * COLS + j];
            bad += (s != hc[i * COLS + j]);
        }
    printf("split-k with %d slices of %d: %d differences\n", SLICES, slice, bad);

    cudaStreamDestroy(st);
    cudaFree(a); cudaFree(b); cudaFree(c);
    cudaFreeHost(ha); cudaFreeHost(hb); cudaFreeHost(hc);
    return bad != 0;
}
