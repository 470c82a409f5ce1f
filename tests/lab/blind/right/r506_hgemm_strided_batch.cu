// Strided-batched half GEMM, fp32 accumulation, row-major:
//   D_b = alpha * A_b * B_b + beta * D_b,   b = 0 .. batch-1
// X_b starts at X + b * strideX (in elements).  m, n, k >= 1; m <= 1000000; batch <= 65535.
// Launch with launch_hgemm below.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define TW 16

struct BatchArgs {
    int m, n, k;
    int lda, ldb, ldd;                    // lda >= k, ldb >= n, ldd >= n
    long long strideA, strideB, strideD;
    float alpha, beta;
};

__global__ void hgemm_batched(BatchArgs p, const __half *A, const __half *B, __half *D)
{
    __shared__ __half sa[TW][TW];
    __shared__ __half sb[TW][TW];

    A += blockIdx.z * p.strideA;
    B += blockIdx.z * p.strideB;
    D += blockIdx.z * p.strideD;

    const int x = threadIdx.x, y = threadIdx.y;
    const int gi = blockIdx.y * TW + y;
    const int gj = blockIdx.x * TW + x;

    float acc = 0.0f;
    for (int t = 0; t < p.k; t += TW) {
        __half va = __float2half(0.0f), vb = __float2half(0.0f);
        if (gi < p.m && t + x < p.k)
            va = A[(long long)gi * p.lda + t + x];
        if (t + y < p.k && gj < p.n)
            vb = B[(long long)(t + y) * p.ldb + gj];
        sa[y][x] = va;
        sb[y][x] = vb;
        __syncthreads();

        for (int q = 0; q < TW; q++)
            acc += __half2float(sa[y][q]) * __half2float(sb[q][x]);
        __syncthreads();
    }

    if (gi < p.m && gj < p.n) {
        __half *d = &D[(long long)gi * p.ldd + gj];
        float r = p.alpha * acc;
        if (p.beta != 0.0f)
            r += p.beta * __half2float(*d);
        *d = __float2half(r);
    }
}

cudaError_t launch_hgemm(const BatchArgs &p, int batch,
                         const __half *A, const __half *B, __half *D, cudaStream_t st)
{
    if (batch < 1 || batch > 65535)
        return cudaErrorInvalidValue;
    dim3 threads(TW, TW);
    dim3 blocks((p.n + TW - 1) / TW, (p.m + TW - 1) / TW, batch);
    hgemm_batched<<<blocks, threads, 0, st>>>(p, A, B, D);
    return cudaGetLastError();
}
