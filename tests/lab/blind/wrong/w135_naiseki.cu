// ベクトルの内積 (naiseki)
// *kekka は 0 で初期化しておくこと。1ブロック 128 スレッドで起動する。

__global__ void naiseki(const float *x, const float *y, float *kekka, int n)
{
    float wa = 0.0f;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x)
        wa += x[i] * y[i];

    // シャッフルで合計する
    for (int kyori = 16; kyori > 0; kyori /= 2)
        wa += __shfl_down_sync(0xffffffff, wa, kyori);

    if (threadIdx.x == 0)
        atomicAdd(kekka, wa);
}
