// 矩阵乘法 C = alpha * A * B + beta * C，行优先存储。
// A: m x k，B: k x n，C: m x n；m、n、k 取 1 到 16384；C 事先须为有效数值。
// 调用方式：
//   dim3 kuai(KUAN, KUAN), wangge((n + KUAN - 1) / KUAN, (m + KUAN - 1) / KUAN);
//   chengji<<<wangge, kuai>>>(Canshu{A, B, C, m, n, k, alpha, beta});
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

constexpr int KUAN = 16;

struct Canshu {
    const float* A;
    const float* B;
    float* C;
    int m, n, k;
    float alpha, beta;
};

__global__ void chengji(const Canshu c)
{
    __shared__ float sa[KUAN][KUAN + 1];
    __shared__ float sb[KUAN][KUAN + 1];

    const cg::thread_block kuai = cg::this_thread_block();
    const int x = kuai.thread_index().x;
    const int y = kuai.thread_index().y;
    const int hang = kuai.group_index().y * KUAN + y;
    const int lie = kuai.group_index().x * KUAN + x;
    const bool youxiao = hang < c.m && lie < c.n;

    float he = 0.0f;
    for (int k0 = 0; k0 < c.k; k0 += KUAN) {
        sa[y][x] = (hang < c.m && k0 + x < c.k) ? c.A[(size_t)hang * c.k + k0 + x] : 0.0f;
        sb[y][x] = (lie < c.n && k0 + y < c.k) ? c.B[(size_t)(k0 + y) * c.n + lie] : 0.0f;
        kuai.sync();
        if (youxiao) {
            #pragma unroll
            for (int q = 0; q < KUAN; ++q)
                he += sa[y][q] * sb[q][x];
            kuai.sync();
        }
    }

    if (youxiao) {
        float& mubiao = c.C[(size_t)hang * c.n + lie];
        mubiao = c.alpha * he + c.beta * mubiao;
    }
}
