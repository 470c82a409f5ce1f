#include <cstdio>
#include <cstdlib>
#include <cmath>

__global__ void mul(float *c, const float *a, const float *b, int m, int k, int n) {
    extern __shared__ float buf[];
    int t = blockDim.x;              // the block is t x t
    float *ta = buf, *tb = buf + t * t;
    int lx = threadIdx.x, ly = threadIdx.y;
    int i = blockIdx.x * t + ly;     // x counts the rows of blocks here
    int j = blockIdx.y * t + lx;
    float s = 0;
    int steps = (k + t - 1) / t;
    for (int p = 0; p < steps; p++) {
        int ka = p * t + lx, kb = p * t + ly;
        ta[ly * t + lx] = 0;
        tb[ly * t + lx] = 0;
        if (i < m && ka < k) ta[ly * t + lx] = a[i * k + ka];
        if (j < n && kb < k) tb[ly * t + lx] = b[kb * n + j];
        __syncthreads();
        for (int q = 0; q < t; q++) s += ta[ly * t + q] * tb[q * t + lx];
        __syncthreads();
    }
    if (i < m && j < n) c[i * n + j] = s;
}

static bool test(int m, int k, int n, int t) {
    float *a, *b, *c;
    cudaMallocManaged(&a, m * k * sizeof(float));
    cudaMallocManaged(&b, k * n * sizeof(float));
    cudaMallocManaged(&c, m * n * sizeof(float));
    for (int i = 0; i < m * k; i++) a[i] = rand() % 7 - 3;
    for (int i = 0; i < k * n; i++) b[i] = rand() % 7 - 3;
    dim3 blocks((m + t - 1) / t, (n + t - 1) / t), threads(t, t);
    mul<<<blocks, threads, 2 * t * t * sizeof(float)>>>(c, a, b, m, k, n);
    cudaDeviceSynchronize();
    bool ok = true;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int q = 0; q < k; q++) s += a[i * k + q] * b[q * n + j];
            if (fabs(s - c[i * n + j]) > 1e-3) ok = false;
        }
    cudaFree(a); cudaFree(b); cudaFree(c);
    return ok;
}

int main() {
    bool ok = test(33, 17, 29, 8) && test(5, 70, 9, 16) && test(64, 64, 64, 12);
    printf("%s\n", ok ? "ok" : "WRONG");
    return ok ? 0 : 1;
}
