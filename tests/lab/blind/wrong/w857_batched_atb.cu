#include <cuda_runtime.h>

// Her p için  C_p = alfa * A_p^T * B_p   (satır öncelikli)
//   A_p : K x M, satır adımı lda >= M
//   B_p : K x N, satır adımı ldb >= N
//   C_p : M x N, satır adımı ldc >= N
// Matrisler bellekte boşluksuz arka arkaya dizilidir.
struct Parti {
    const float *A, *B;
    float *C;
    int M, N, K;
    int lda, ldb, ldc;
    float alfa;
};

template <int T, int SATIR>
__global__ void toplu_atb(const Parti p)
{
    static_assert(T % SATIR == 0, "");
    constexpr int ADET = T / SATIR;
    __shared__ float sa[T][T];
    __shared__ float sb[T][T];

    const float *A = p.A + (size_t)blockIdx.z * p.lda * p.M;
    const float *B = p.B + (size_t)blockIdx.z * p.ldb * p.K;
    float       *C = p.C + (size_t)blockIdx.z * p.ldc * p.M;

    const int m0 = blockIdx.y * T, n0 = blockIdx.x * T;
    const int tx = threadIdx.x, ty = threadIdx.y;
    float top[ADET] = {};

    for (int k0 = 0; k0 < p.K; k0 += T) {
        for (int r = ty; r < T; r += SATIR) {
            const int k = k0 + r;
            sa[r][tx] = (k < p.K && m0 + tx < p.M) ? A[(size_t)k * p.lda + m0 + tx] : 0.f;
            sb[r][tx] = (k < p.K && n0 + tx < p.N) ? B[(size_t)k * p.ldb + n0 + tx] : 0.f;
        }
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < T; ++k) {
            const float b = sb[k][tx];
            #pragma unroll
            for (int i = 0; i < ADET; ++i)
                top[i] += sa[k][ty + i * SATIR] * b;
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < ADET; ++i) {
        const int m = m0 + ty + i * SATIR;
        if (m < p.M && n0 + tx < p.N)
            C[(size_t)m * p.ldc + n0 + tx] = p.alfa * top[i];
    }
}

void toplu_atb_baslat(const Parti &p, int adet, cudaStream_t akis)
{
    const dim3 blok(32, 8);
    const dim3 izgara((p.N + 31) / 32, (p.M + 31) / 32, adet);
    toplu_atb<32, 8><<<izgara, blok, 0, akis>>>(p);
}
