// 課題3 内積（タイルごとに共有メモリで縮約）
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

constexpr int TAIRU = 256;

#define SHIRABERU(e) do { cudaError_t r_ = (e); if (r_ != cudaSuccess) { \
    std::printf("エラー %s (%d行目)\n", cudaGetErrorString(r_), __LINE__); std::exit(1); } } while (0)

__global__ void naiseki(const float* a, const float* b, float* bubun, int n)
{
    __shared__ float wa[TAIRU];
    const int t = threadIdx.x;

    float v = 0.0f;
    for (int i = blockIdx.x * TAIRU + t; i < n; i += TAIRU * gridDim.x)
        v += a[i] * b[i];
    wa[t] = v;
    __syncthreads();

    for (int s = TAIRU / 2; s > 1; s >>= 1) {
        if (t < s)
            wa[t] += wa[t + s];
        __syncthreads();
    }

    // ブロックごとの部分和
    if (t == 0)
        bubun[blockIdx.x] = wa[0];
}

int main()
{
    const int n = 70000, blocks = 40;
    std::vector<float> a(n), b(n), bubun(blocks);
    double seikai = 0;
    for (int i = 0; i < n; ++i) {
        a[i] = 0.01f * (i % 100);
        b[i] = 0.02f * (i % 77);
        seikai += (double)a[i] * b[i];
    }

    float *da, *db, *dp;
    SHIRABERU(cudaMalloc(&da, n * sizeof(float)));
    SHIRABERU(cudaMalloc(&db, n * sizeof(float)));
    SHIRABERU(cudaMalloc(&dp, blocks * sizeof(float)));
    SHIRABERU(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    SHIRABERU(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    naiseki<<<blocks, TAIRU>>>(da, db, dp, n);
    SHIRABERU(cudaGetLastError());
    SHIRABERU(cudaMemcpy(bubun.data(), dp, blocks * sizeof(float), cudaMemcpyDeviceToHost));

    double kekka = 0;
    for (float p : bubun) kekka += p;
    std::printf("GPU %f  CPU %f  %s\n", kekka, seikai,
                std::fabs(kekka - seikai) < 1e-4 * seikai ? "OK" : "NG");
    cudaFree(da);
    cudaFree(db);
    cudaFree(dp);
    return 0;
}
