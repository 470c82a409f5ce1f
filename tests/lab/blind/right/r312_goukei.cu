// 課題2 ベクトルの総和
// グリッドストライドループ + ワープシャッフル
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

__device__ float warpGoukei(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void goukei(const float* x, float* kekka, int n)
{
    __shared__ float bubun[32];

    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += x[i];

    v = warpGoukei(v);

    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    if (lane == 0)
        bubun[warp] = v;
    __syncthreads();

    // 最初のワープだけで各ワープの結果をまとめる
    if (warp == 0) {
        int warpSuu = blockDim.x / 32;
        v = (lane < warpSuu) ? bubun[lane] : 0.0f;
        v = warpGoukei(v);
        if (lane == 0)
            atomicAdd(kekka, v);
    }
}

int main()
{
    const int n = 1 << 20;
    std::vector<float> x(n + 37);
    double seikai = 0.0;
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = (float)(i % 10) * 0.5f;
        seikai += x[i];
    }
    const int kosuu = (int)x.size();

    float *dx, *dk, kekka;
    cudaMalloc(&dx, kosuu * sizeof(float));
    cudaMalloc(&dk, sizeof(float));
    cudaMemcpy(dx, x.data(), kosuu * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dk, 0, sizeof(float));

    goukei<<<120, 256>>>(dx, dk, kosuu);
    cudaError_t e = cudaMemcpy(&kekka, dk, sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::printf("エラー: %s\n", cudaGetErrorString(e));
        return 1;
    }
    std::printf("GPU = %f, CPU = %f, %s\n", kekka, seikai,
                std::fabs(kekka - seikai) < 1e-4 * seikai ? "一致" : "不一致");
    cudaFree(dx);
    cudaFree(dk);
    return 0;
}
