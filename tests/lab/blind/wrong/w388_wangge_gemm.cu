// 通用矩阵乘法 C = alpha * A * B + beta * C,行主序,带前导维度。
// 一维网格跨步循环:每个线程可能计算多个输出元素。
//   A: m x k (lda >= k)   B: k x n (ldb >= n)   C: m x n (ldc >= n)
// beta 为零时不读取 C。m * n 不超过 2^30。
#include <cuda_runtime.h>

struct JuZhen {
    const double *shuJu;
    int ld;

    __device__ double operator()(int hang, int lie) const
    {
        return shuJu[(size_t)hang * ld + lie];
    }
};

__global__ void gemm(JuZhen A, JuZhen B, double *C, int ldc,
                     int m, int n, int k, double alpha, double beta)
{
    const int zongShu = m * n;
    const int buChang = gridDim.x * blockDim.x;
    double leiJia = 0.0;

    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < zongShu; e += buChang) {
        const int hang = e / n;
        const int lie = e % n;

        int p = 0;
        for (; p + 3 < k; p += 4) {
            leiJia += A(hang, p) * B(p, lie);
            leiJia += A(hang, p + 1) * B(p + 1, lie);
            leiJia += A(hang, p + 2) * B(p + 2, lie);
            leiJia += A(hang, p + 3) * B(p + 3, lie);
        }
        for (; p < k; ++p)
            leiJia += A(hang, p) * B(p, lie);

        double *muBiao = C + (size_t)hang * ldc + lie;
        *muBiao = beta == 0.0 ? alpha * leiJia : alpha * leiJia + beta * *muBiao;
    }
}

// 设备指针;m、n、k 均为正数。
void yunXing(const double *A, int lda, const double *B, int ldb, double *C, int ldc,
             int m, int n, int k, double alpha, double beta)
{
    const int xianCheng = 192;
    int kuai = (m * n + xianCheng - 1) / xianCheng;
    if (kuai > 216)
        kuai = 216;
    gemm<<<kuai, xianCheng>>>(JuZhen{A, lda}, JuZhen{B, ldb}, C, ldc, m, n, k, alpha, beta);
}
