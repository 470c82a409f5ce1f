// gyouretsu no seki C = A * B (float)
// hitotsu no sureddo ga yoko ni 4 ko no kotae wo keisan suru
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define HABA 16          // burokku no ippen
#define KOSUU 4          // sureddo goto no kotae no kazu
#define YOKO (HABA * KOSUU)

__global__ void seki(const float *a, const float *b, float *c, int m, int k, int n)
{
    __shared__ float ta[HABA][HABA];
    __shared__ float tb[HABA][YOKO];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int gyou = blockIdx.y * HABA + ty;
    int retsu0 = blockIdx.x * YOKO;

    float goukei[KOSUU];
    for (int u = 0; u < KOSUU; u++)
        goukei[u] = 0.0f;

    int dankai = (k + HABA - 1) / HABA;
    for (int d = 0; d < dankai; d++) {
        int pa = d * HABA + tx;
        int pb = d * HABA + ty;

        ta[ty][tx] = (gyou < m && pa < k) ? a[(size_t)gyou * k + pa] : 0.0f;
        for (int u = 0; u < KOSUU; u++) {
            int r = retsu0 + u * HABA + tx;
            tb[ty][u * HABA + tx] = (pb < k && r < n) ? b[(size_t)pb * n + r] : 0.0f;
        }
        __syncthreads();

        for (int p = 0; p < HABA; p++) {
            float va = ta[ty][p];
            for (int u = 0; u < KOSUU; u++)
                goukei[u] += va * tb[p][u * HABA + tx];
        }
        __syncthreads();   // tsugi no tairu wo kaku mae ni matsu
    }

    if (gyou < m) {
        for (int u = 0; u < KOSUU; u++) {
            int r = retsu0 + u * HABA + tx;
            if (r < n)
                c[(size_t)gyou * n + r] = goukei[u];
        }
    }
}

static float ransuu() { return (float)(rand() % 1000) / 500.0f - 1.0f; }

int main()
{
    const int m = 70, k = 59, n = 149;
    float *a, *b, *c;
    cudaMallocManaged(&a, sizeof(float) * m * k);
    cudaMallocManaged(&b, sizeof(float) * k * n);
    cudaMallocManaged(&c, sizeof(float) * m * n);
    for (int i = 0; i < m * k; i++) a[i] = ransuu();
    for (int i = 0; i < k * n; i++) b[i] = ransuu();

    dim3 burokku(HABA, HABA);
    dim3 guriddo((n + YOKO - 1) / YOKO, (m + HABA - 1) / HABA);
    seki<<<guriddo, burokku>>>(a, b, c, m, k, n);
    cudaError_t kekka = cudaDeviceSynchronize();

    int machigai = 0;
    if (kekka != cudaSuccess) {
        machigai = 1;
    } else {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float s = 0;
                for (int p = 0; p < k; p++)
                    s += a[i * k + p] * b[p * n + j];
                if (!(fabsf(s - c[i * n + j]) < 1e-3f))
                    machigai++;
            }
    }
    printf("machigai: %d, kekka: %s\n", machigai, machigai ? "FAILED" : "OK");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return machigai ? 1 : 0;
}
