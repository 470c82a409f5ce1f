// 行列の列ごとの合計を求める。行方向はブロックに分け、部分和を
// atomicAdd で出力に足し込む。
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define KAKUNIN(e)                                                      \
    do {                                                                \
        cudaError_t r_ = (e);                                           \
        if (r_ != cudaSuccess) {                                        \
            fprintf(stderr, "%d 行目: %s\n", __LINE__,                  \
                    cudaGetErrorString(r_));                            \
            exit(1);                                                    \
        }                                                               \
    } while (0)

const int HABA = 64;       // 1 ブロックが受け持つ列数
const int TAKASA = 100;    // 1 ブロックが受け持つ行数

__global__ void retsuGoukei(const float *gyouretsu, float *goukei, int gyou, int retsu)
{
    const int c = blockIdx.x * HABA + threadIdx.x;
    if (c >= retsu)
        return;

    const int hajime = blockIdx.y * TAKASA;
    const int owari = min(hajime + TAKASA, gyou);
    float s = 0.0f;
    for (int r = hajime; r < owari; ++r)
        s += gyouretsu[(size_t)r * retsu + c];
    atomicAdd(&goukei[c], s);
}

int main(int argc, char **argv)
{
    const int gyou = argc > 1 ? atoi(argv[1]) : 730;
    const int retsu = argc > 2 ? atoi(argv[2]) : 150;
    if (gyou < 1 || retsu < 1)
        return 2;

    std::vector<float> h((size_t)gyou * retsu), kekka(retsu);
    for (size_t i = 0; i < h.size(); ++i)
        h[i] = (float)(i % 13) * 0.5f - 2.0f;

    float *d, *dGoukei;
    KAKUNIN(cudaMalloc(&d, h.size() * sizeof(float)));
    KAKUNIN(cudaMalloc(&dGoukei, retsu * sizeof(float)));
    KAKUNIN(cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    KAKUNIN(cudaMemset(dGoukei, 0, retsu));

    cudaEvent_t t0, t1;
    KAKUNIN(cudaEventCreate(&t0));
    KAKUNIN(cudaEventCreate(&t1));
    dim3 kousi((retsu + HABA - 1) / HABA, (gyou + TAKASA - 1) / TAKASA);
    KAKUNIN(cudaEventRecord(t0));
    retsuGoukei<<<kousi, HABA>>>(d, dGoukei, gyou, retsu);
    KAKUNIN(cudaGetLastError());
    KAKUNIN(cudaEventRecord(t1));
    KAKUNIN(cudaEventSynchronize(t1));
    float ms = 0.0f;
    KAKUNIN(cudaEventElapsedTime(&ms, t0, t1));

    KAKUNIN(cudaMemcpy(kekka.data(), dGoukei, retsu * sizeof(float), cudaMemcpyDeviceToHost));
    int machigai = 0;
    for (int c = 0; c < retsu; ++c) {
        double s = 0.0;
        for (int r = 0; r < gyou; ++r)
            s += h[(size_t)r * retsu + c];
        if (fabs(s - kekka[c]) > 1e-3 * (1.0 + fabs(s)))
            ++machigai;
    }
    printf("%.3f ms、不一致 %d 列\n", ms, machigai);

    KAKUNIN(cudaFree(d));
    KAKUNIN(cudaFree(dGoukei));
    return machigai != 0;
}
