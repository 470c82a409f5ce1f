#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// out(i,j) = alpha * sum_p At(p,i) * Bt(j,p) + bias(j)
// At: K x M, Bt: N x K, out: M x N, row-major with leading dimensions; bias may be nullptr (= 0).

template <class T> struct Cvt;
template <> struct Cvt<float> {
    static __device__ float in(float v) { return v; }
    static __device__ float out(float v) { return v; }
};
template <> struct Cvt<__half> {
    static __device__ float in(__half v) { return __half2float(v); }
    static __device__ __half out(float v) { return __float2half_rn(v); }
};
template <> struct Cvt<__nv_bfloat16> {
    static __device__ float in(__nv_bfloat16 v) { return __bfloat162float(v); }
    static __device__ __nv_bfloat16 out(float v) { return __float2bfloat16_rn(v); }
};

template <class T>
__global__ void gemm_tt(int M, int N, int K, float alpha, const T* At, int ldat,
                        const T* Bt, int ldbt, const float* bias, T* out, int ldo)
{
    constexpr int TILE = 32, RSTEP = 8;                // blockDim = (32, 8)
    __shared__ float sa[TILE][TILE];                   // [p][i]
    __shared__ float sb[TILE][TILE + 1];               // [j][p]

    const int x = threadIdx.x, y = threadIdx.y;
    const int i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    float acc[TILE / RSTEP] = {0.f, 0.f, 0.f, 0.f};

    for (int p0 = 0; p0 < K; p0 += TILE) {
#pragma unroll
        for (int q = y; q < TILE; q += RSTEP) {
            sa[q][x] = (p0 + q < K && i0 + x < M) ? Cvt<T>::in(At[size_t(p0 + q) * ldat + i0 + x]) : 0.f;
            sb[q][x] = (j0 + q < N && p0 + x < K) ? Cvt<T>::in(Bt[size_t(j0 + q) * ldbt + p0 + x]) : 0.f;
        }
        __syncthreads();
        for (int p = 0; p < TILE; ++p) {
            const float b = sb[x][p];
#pragma unroll
            for (int u = 0; u < TILE / RSTEP; ++u) acc[u] += sa[p][y + u * RSTEP] * b;
        }
        __syncthreads();
    }

    const int j = j0 + x;
    if (j >= N) return;
    const float add = bias ? bias[j] : 0.f;
#pragma unroll
    for (int u = 0; u < TILE / RSTEP; ++u) {
        const int i = i0 + y + u * RSTEP;
        if (i < M) out[size_t(i) * ldo + j] = Cvt<T>::out(alpha * acc[u] + add);
    }
}

template <class T>
cudaError_t launch_gemm_tt(int M, int N, int K, float alpha, const T* At, int ldat, const T* Bt, int ldbt,
                           const float* bias, T* out, int ldo, cudaStream_t s)
{
    gemm_tt<T><<<dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 8), 0, s>>>(M, N, K, alpha, At, ldat, Bt, ldbt, bias, out, ldo);
    return cudaGetLastError();
}

#define INSTANTIATE(T) template cudaError_t launch_gemm_tt<T>(int, int, int, float, const T*, int, const T*, int, const float*, T*, int, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(__half)
INSTANTIATE(__nv_bfloat16)
