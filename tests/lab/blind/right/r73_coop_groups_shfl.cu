#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// One warp computes 32 neighbouring elements of a single row of C.
// The A values live in registers and are broadcast with tile.shfl(),
// the B tile is shared by the 8 warps of the block.
//
//   block = dim3(32, 8);  grid = dim3((N + 31) / 32, (M + 7) / 8)

__global__ void matmul_cg(const float *A, const float *B, float *C, int M, int N, int K)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    __shared__ float Bs[32][32];

    const int lane = warp.thread_rank();
    const int w    = block.thread_rank() / 32;
    const int row  = block.group_index().y * 8 + w;
    const int col  = block.group_index().x * 32 + lane;

    float acc = 0.0f;

    for (int k0 = 0; k0 < K; k0 += 32)
    {
        float a = 0.0f;
        if (row < M && k0 + lane < K)
            a = A[row * K + k0 + lane];

        for (int r = w; r < 32; r += 8)
        {
            float b = 0.0f;
            if (k0 + r < K && col < N)
                b = B[(k0 + r) * N + col];
            Bs[r][lane] = b;
        }
        block.sync();

        for (int t = 0; t < 32; ++t)
            acc += warp.shfl(a, t) * Bs[t][lane];

        block.sync();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
