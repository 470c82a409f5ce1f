#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cmath>
#include <cstdlib>

namespace cg = cooperative_groups;

#define SIDE 32

// tiled product; barriers through cooperative groups
__global__ void mm_cg(const float* A, const float* B, float* C, int n_i, int n_j, int n_k)
{
    cg::thread_block blk = cg::this_thread_block();
    __shared__ float a_tile[SIDE][SIDE];
    __shared__ float b_tile[SIDE][SIDE];

    const int lx = blk.thread_index().x;
    const int ly = blk.thread_index().y;
    const int i = blk.group_index().y * SIDE + ly;
    const int j = blk.group_index().x * SIDE + lx;

    float r = 0.0f;
    const int steps = (n_k + SIDE - 1) / SIDE;
    for (int s = 0; s < steps; ++s)
    {
        const int k_a = s * SIDE + lx;
        const int k_b = s * SIDE + ly;
        a_tile[ly][lx] = (i < n_i && k_a < n_k) ? A[i * n_k + k_a] : 0.0f;
        b_tile[ly][lx] = (k_b < n_k && j < n_j) ? B[k_b * n_j + j] : 0.0f;
        blk.sync();
        for (int k = 0; k < SIDE; ++k)
            r += a_tile[ly][k] * b_tile[k][lx];
        blk.sync();
    }
    if (i < n_i && j < n_j)
        C[i * n_j + j] = r;
}

int main()
{
    int n_i = 95, n_j = 64, n_k = 129;
    std::vector<float> A(n_i * n_k), B(n_k * n_j), C(n_i * n_j);
    for (float& v : A) v = rand() % 5 - 2;
    for (float& v : B) v = rand() % 5 - 2;

    float *pa, *pb, *pc;
    cudaMalloc(&pa, A.size() * sizeof(float));
    cudaMalloc(&pb, B.size() * sizeof(float));
    cudaMalloc(&pc, C.size() * sizeof(float));
    cudaMemcpy(pa, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(pb, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(SIDE, SIDE);
    dim3 grid((n_j + SIDE - 1) / SIDE, (n_i + SIDE - 1) / SIDE);
    mm_cg<<<grid, block>>>(pa, pb, pc, n_i, n_j, n_k);
    cudaMemcpy(C.data(), pc, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < n_i; ++i)
        for (int j = 0; j < n_j; ++j) {
            float s = 0;
            for (int k = 0; k < n_k; ++k) s += A[i * n_k + k] * B[k * n_j + j];
            if (s != C[i * n_j + j]) ++bad;     // small integers, exact
        }
    printf("%s\n", bad ? "BAD" : "OK");
    cudaFree(pa); cudaFree(pb); cudaFree(pc);
    return bad ? 1 : 0;
}
