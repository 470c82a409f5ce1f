// 内積を二段階で計算する: 1段目は各ブロックの部分和、2段目は部分和の合計。
// 入力は In 型、累算は Acc 型。要素数 n は 1 以上 10 億以下。
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int SURE = 256;      // 2 のべき
constexpr int BUROKKU = 512;

template <typename Acc>
__device__ Acc goukei(Acc v)
{
    extern __shared__ __align__(16) unsigned char kioku[];
    Acc* s = reinterpret_cast<Acc*>(kioku);
    const int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    return s[0];
}

template <typename In, typename Acc>
__global__ void ichidanme(const In* a, const In* b, Acc* bubun, int n)
{
    Acc v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += Acc(a[i]) * Acc(b[i]);
    v = goukei(v);
    if (threadIdx.x == 0) bubun[blockIdx.x] = v;
}

template <typename Acc>
__global__ void nidanme(const Acc* bubun, Acc* kekka, int kosu)
{
    Acc v = 0;
    for (int i = threadIdx.x; i < kosu; i += blockDim.x) v += bubun[i];
    v = goukei(v);
    if (threadIdx.x == 0) *kekka = v;
}

template <typename In, typename Acc>
Acc naiseki(const In* a, const In* b, int n)
{
    Acc *bubun, *kekka, h;
    cudaMalloc(&bubun, BUROKKU * sizeof(Acc));
    cudaMalloc(&kekka, sizeof(Acc));
    ichidanme<In, Acc><<<BUROKKU, SURE, SURE * sizeof(In)>>>(a, b, bubun, n);
    nidanme<Acc><<<1, SURE, SURE * sizeof(Acc)>>>(bubun, kekka, BUROKKU);
    cudaMemcpy(&h, kekka, sizeof(Acc), cudaMemcpyDeviceToHost);
    cudaFree(bubun);
    cudaFree(kekka);
    return h;
}

int main()
{
    const int n = 5000000;
    std::vector<float> a(n, 0.5f), b(n, 3.0f);
    float *da, *db;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    std::printf("%.1f (正解 %.1f)\n", naiseki<float, double>(da, db, n), 1.5 * n);
    cudaFree(da);
    cudaFree(db);
    return 0;
}
