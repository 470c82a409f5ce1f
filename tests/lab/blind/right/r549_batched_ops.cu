// Strided batched GEMM, row-major:  C_b = alpha * op(A_b) * op(B_b) + beta * C_b
// op(A) is m x k, op(B) is k x n. ld = length of a stored row.
// When an operand is transposed, it is stored as k x m (A) or n x k (B).
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>

enum class Op { None, Transpose };

struct BatchedGemm {
    int m, n, k;
    float alpha, beta;
    const float* A; int lda; long long strideA;
    const float* B; int ldb; long long strideB;
    float* C;       int ldc; long long strideC;
    int batch;
};

template <Op op>
__device__ inline float element(const float* X, int ld, int i, int j)
{
    if (op == Op::None)
        return X[(size_t)i * ld + j];
    return X[(size_t)j * ld + i];
}

template <Op opA, Op opB>
__global__ void batchedKernel(const BatchedGemm g)
{
    constexpr int T = 16;
    __shared__ float a_s[T][T + 1];
    __shared__ float b_s[T][T + 1];

    const float* A = g.A + blockIdx.z * g.strideA;
    const float* B = g.B + blockIdx.z * g.strideB;
    float* C = g.C + blockIdx.z * g.strideC;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.y * T, j0 = blockIdx.x * T;
    float acc = 0.0f;

    for (int p0 = 0; p0 < g.k; p0 += T) {
        // (ra, pa): which element of op(A) this thread fetches. For a transposed
        // operand the two thread indices change roles, to keep reads coalesced.
        const int ra = opA == Op::None ? ty : tx;
        const int pa = opA == Op::None ? tx : ty;
        const int pb = opB == Op::None ? ty : tx;
        const int cb = opB == Op::None ? tx : ty;

        float va = 0.0f, vb = 0.0f;
        if (i0 + ra < g.m && p0 + pa < g.k)
            va = element<opA>(A, g.lda, i0 + ra, p0 + pa);
        if (p0 + pb < g.k && j0 + cb < g.n)
            vb = element<opB>(B, g.ldb, p0 + pb, j0 + cb);
        a_s[ra][pa] = va;
        b_s[pb][cb] = vb;
        __syncthreads();

        for (int p = 0; p < T; ++p)
            acc += a_s[ty][p] * b_s[p][tx];
        __syncthreads();
    }

    const int i = i0 + ty, j = j0 + tx;
    if (i < g.m && j < g.n) {
        float* c = C + (size_t)i * g.ldc + j;
        *c = g.alpha * acc + (g.beta != 0.0f ? g.beta * *c : 0.0f);
    }
}

void runBatchedGemm(const BatchedGemm& g, Op opA, Op opB, cudaStream_t stream = 0)
{
    assert(g.m > 0 && g.n > 0 && g.k >= 0);
    assert(g.batch > 0 && g.batch <= 65535);
    assert(g.lda >= (opA == Op::None ? g.k : g.m));
    assert(g.ldb >= (opB == Op::None ? g.n : g.k));
    assert(g.ldc >= g.n);

    const dim3 block(16, 16);
    const dim3 grid((g.n + 15) / 16, (g.m + 15) / 16, g.batch);

    if (opA == Op::None && opB == Op::None)
        batchedKernel<Op::None, Op::None><<<grid, block, 0, stream>>>(g);
    else if (opA == Op::None)
        batchedKernel<Op::None, Op::Transpose><<<grid, block, 0, stream>>>(g);
    else if (opB == Op::None)
        batchedKernel<Op::Transpose, Op::None><<<grid, block, 0, stream>>>(g);
    else
        batchedKernel<Op::Transpose, Op::Transpose><<<grid, block, 0, stream>>>(g);

    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        fprintf(stderr, "runBatchedGemm: %s\n", cudaGetErrorString(err));
        abort();
    }
}
