#include <cuda_fp16.h>

__global__ void pairs_of_columns(const __half *a, const __half2 *b, __half2 *c, int m, int pairs, int k) {
    int pair = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (row >= m || pair >= pairs) return;
    float x = 0.0f, y = 0.0f;
    for (int i = 0; i < k; ++i) {
        float2 both = __half22float2(b[i * pairs + pair]);
        x += __half2float(a[row * k + i]) * both.x;
        y += __half2float(a[row * k + i]) * both.y;
    }
    c[row * pairs + pair] = __floats2half2_rn(x, y);
}

void multiply(const __half *a, const __half *b, __half *c, int m, int n, int k) {
    int pairs = n / 2;
    dim3 block(32, 8), grid((pairs + 31) / 32, (m + 7) / 8);
    pairs_of_columns<<<grid, block>>>(a, (const __half2 *)b, (__half2 *)c, m, pairs, k);
}
