// 配列の合計:グリッドストライドループ → ワープシャッフル → atomicAdd
// 要素数は 1 以上なら何でもよい。
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int BLOCK = 256;          // 32 の倍数
const unsigned ZENBU = 0xffffffffu;

__inline__ __device__ double warpGoukei(double v)
{
    for (int zure = 16; zure > 0; zure >>= 1)
        v += __shfl_down_sync(ZENBU, v, zure);
    return v;                   // レーン 0 だけが正しい合計を持つ
}

__global__ void goukei(const double *nyuuryoku, double *kekka, int n)
{
    __shared__ double bubun[BLOCK / 32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    double s = 0.0;
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        s += nyuuryoku[i];

    s = warpGoukei(s);
    if (lane == 0)
        bubun[warp] = s;
    __syncthreads();

    // 最初のワープが各ワープの部分和をまとめる
    if (warp == 0) {
        s = (lane < BLOCK / 32) ? bubun[lane] : 0.0;
        s = warpGoukei(s);
        if (lane == 0)
            atomicAdd(kekka, s);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000003;
    if (n < 1) n = 1;

    double *data, *kekka;
    if (cudaMallocManaged(&data, n * sizeof(double)) != cudaSuccess ||
        cudaMallocManaged(&kekka, sizeof(double)) != cudaSuccess) {
        fprintf(stderr, "メモリを確保できません\n");
        return 1;
    }

    double seikai = 0.0;
    for (int i = 0; i < n; ++i) {
        data[i] = (i % 17) * 0.25 - 1.0;
        seikai += data[i];
    }
    *kekka = 0.0;

    int blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks > 128) blocks = 128;
    goukei<<<blocks, BLOCK>>>(data, kekka, n);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(err));
        return 1;
    }

    double gosa = fabs(*kekka - seikai);
    printf("GPU %.6f  CPU %.6f  誤差 %.3e\n", *kekka, seikai, gosa);
    bool ok = gosa <= 1e-9 * fmax(1.0, fabs(seikai));
    puts(ok ? "OK" : "不一致");
    cudaFree(data);
    cudaFree(kekka);
    return ok ? 0 : 1;
}
