// 矩阵乘向量 y = A * x,每个线程束 (warp) 负责一行,用 float4 读取。
// 限制:列数必须是 4 的倍数,A 与 x 的地址按 16 字节对齐
// (cudaMalloc 返回的地址满足要求)。行数为任意正数。
#include <cuda_runtime.h>

constexpr int XIAN_CHENG_SHU = 32;
constexpr int MEI_KUAI_HANG = 8;      // 每个线程块处理的行数

__device__ __forceinline__ float dianJi(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void juZhenChengXiangLiang(const float *A, const float *x, float *y,
                                      int hangShu, int lieShu)
{
    const int hang = blockIdx.x * MEI_KUAI_HANG + threadIdx.y;
    if (hang >= hangShu)
        return;                        // 整个线程束一起退出

    const int zuShu = lieShu / 4;
    const float4 *hangZhiZhen =
        reinterpret_cast<const float4 *>(A + (size_t)hang * lieShu);
    const float4 *x4 = reinterpret_cast<const float4 *>(x);

    float he = 0.0f;
    for (int z = threadIdx.x; z < zuShu; z += XIAN_CHENG_SHU)
        he += dianJi(hangZhiZhen[z], x4[z]);

    // 束内归约,每个线程都得到总和
    for (int ju = XIAN_CHENG_SHU / 2; ju >= 1; ju /= 2)
        he += __shfl_xor_sync(0xffffffff, he, ju);

    if (threadIdx.x == 0)
        y[hang] = he;
}

// 所有指针都在设备内存中。lieShu 不是 4 的倍数时返回错误。
cudaError_t chengXiangLiang(const float *dA, const float *dx, float *dy,
                            int hangShu, int lieShu, cudaStream_t liu)
{
    if (hangShu <= 0 || lieShu <= 0 || lieShu % 4 != 0)
        return cudaErrorInvalidValue;

    const dim3 kuai(XIAN_CHENG_SHU, MEI_KUAI_HANG);
    const int kuaiShu = (hangShu + MEI_KUAI_HANG - 1) / MEI_KUAI_HANG;
    juZhenChengXiangLiang<<<kuaiShu, kuai, 0, liu>>>(dA, dx, dy, hangShu, lieShu);
    return cudaGetLastError();
}
