// Soucin ctvercovych matic n x n, dlazdice urcena az pri spusteni.
// Sdilena pamet je dynamicka: 2 * d * d cisel, kde d = blockDim.x = blockDim.y.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

extern __shared__ float pamet[];

__global__ void soucin(const float *a, const float *b, float *c, int n)
{
    const int d = blockDim.x;
    float *da = pamet;            // d x d
    float *db = pamet + d * d;    // d x d

    const int r = blockIdx.y * d + threadIdx.y;
    const int s = blockIdx.x * d + threadIdx.x;
    const int moje = threadIdx.y * d + threadIdx.x;

    float vysledek = 0.0f;
    for (int krok = 0; krok < (n + d - 1) / d; krok++) {
        const int sa = krok * d + threadIdx.x;
        const int rb = krok * d + threadIdx.y;

        if (r < n && sa < n)
            da[moje] = a[r * n + sa];
        else
            da[moje] = 0.0f;

        if (rb < n && s < n)
            db[moje] = b[rb * n + s];
        else
            db[moje] = 0.0f;

        __syncthreads();
        for (int i = 0; i < d; i++)
            vysledek += da[threadIdx.y * d + i] * db[i * d + threadIdx.x];
        __syncthreads();
    }

    if (r < n && s < n)
        c[r * n + s] = vysledek;
}

static bool zkus(int n, int d)
{
    const size_t bajtu = sizeof(float) * n * n;
    float *ha = (float *)malloc(bajtu), *hb = (float *)malloc(bajtu), *hc = (float *)malloc(bajtu);
    for (int i = 0; i < n * n; i++) {
        ha[i] = (float)(i % 10) / 10.0f;
        hb[i] = (float)((i + 3) % 8) / 8.0f - 0.5f;
        hc[i] = -99.0f;
    }
    float *a, *b, *c;
    cudaMalloc(&a, bajtu);
    cudaMalloc(&b, bajtu);
    cudaMalloc(&c, bajtu);
    cudaMemcpy(a, ha, bajtu, cudaMemcpyHostToDevice);
    cudaMemcpy(b, hb, bajtu, cudaMemcpyHostToDevice);

    const int bloku = (n + d - 1) / d;
    soucin<<<dim3(bloku, bloku), dim3(d, d), 2 * d * d * sizeof(float)>>>(a, b, c, n);
    bool dobre = cudaGetLastError() == cudaSuccess;
    dobre = cudaMemcpy(hc, c, bajtu, cudaMemcpyDeviceToHost) == cudaSuccess && dobre;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double x = 0.0;
            for (int p = 0; p < n; p++)
                x += (double)ha[i * n + p] * hb[p * n + j];
            if (!(fabs(x - hc[i * n + j]) < 1e-3)) dobre = false;
        }
    cudaFree(a); cudaFree(b); cudaFree(c);
    free(ha); free(hb); free(hc);
    return dobre;
}

int main()
{
    bool vse = zkus(64, 16) && zkus(77, 8) && zkus(50, 20) && zkus(5, 32);
    printf("soucin matic: %s\n", vse ? "OK" : "FAILED");
    return vse ? 0 : 1;
}
