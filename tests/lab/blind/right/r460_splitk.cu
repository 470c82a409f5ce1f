#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

/* Matrix product with the inner dimension divided among blockIdx.z.
   Every slice adds its share to C with atomicAdd, C is cleared first. */

#define TW 16
#define SLICES 5

__global__ void splitKernel(const float *a, const float *b, float *c, int M, int N, int K, int len)
{
    __shared__ float ta[TW * TW], tb[TW * TW];
    const int x = threadIdx.x, y = threadIdx.y;
    const int gy = blockIdx.y * TW + y;
    const int gx = blockIdx.x * TW + x;
    const int from = blockIdx.z * len;
    const int to = min(from + len, K);

    float part = 0.0f;
    for (int k = from; k < to; k += TW) {
        ta[y * TW + x] = 0.0f;
        tb[y * TW + x] = 0.0f;
        if (gy < M && k + x < to) ta[y * TW + x] = a[gy * K + k + x];
        if (gx < N && k + y < to) tb[y * TW + x] = b[(k + y) * N + gx];
        __syncthreads();
        for (int i = 0; i < TW; i++)
            part += ta[y * TW + i] * tb[i * TW + x];
        __syncthreads();
    }
    if (gy < M && gx < N && from < K)
        atomicAdd(&c[gy * N + gx], part);
}

int main(void)
{
    int M = 50, N = 33, K = 1003;
    std::vector<float> ha(M * K), hb(K * N), hc(M * N);
    for (int i = 0; i < M * K; i++) ha[i] = (float)(i % 3);
    for (int i = 0; i < K * N; i++) hb[i] = (float)(i % 4) - 1.0f;

    float *da, *db, *dc;
    cudaMalloc((void **)&da, ha.size() * sizeof(float));
    cudaMalloc((void **)&db, hb.size() * sizeof(float));
    cudaMalloc((void **)&dc, hc.size() * sizeof(float));
    cudaMemcpy(da, ha.data(), ha.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb.data(), hb.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dc, 0, hc.size() * sizeof(float));

    int len = (K + SLICES - 1) / SLICES;
    dim3 grid((N + TW - 1) / TW, (M + TW - 1) / TW, SLICES);
    splitKernel<<<grid, dim3(TW, TW)>>>(da, db, dc, M, N, K, len);
    cudaMemcpy(hc.data(), dc, hc.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float r = 0;
            for (int k = 0; k < K; k++) r += ha[i * K + k] * hb[k * N + j];
            if (r != hc[i * N + j]) bad++;
        }
    printf("%d wrong\n", bad);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return bad != 0;
}
