// y = alpha * A * x + beta * y
// A: m x n, satır öncelikli, lda >= n ve lda 4'ün katı; A ve x 16 bayta hizalı. n herhangi bir sayı olabilir.
// Blok şekli (32, 8): her warp (threadIdx.y) bir satırı toplar. Izgara: (m + 7) / 8 blok.
// beta = 0 ise y okunmaz.
#include <cuda_runtime.h>

__global__ void satir_carpimi(int m, int n, float alpha, const float *A, int lda,
                              const float *x, float beta, float *y)
{
    const int satir = blockIdx.x * blockDim.y + threadIdx.y;
    if (satir >= m) return;                    // warp'ın tamamı çıkar, blok bariyeri yok

    const float *a = A + (size_t)satir * lda;
    const float4 *a4 = (const float4 *)a;
    const float4 *x4 = (const float4 *)x;
    const int dortlu = n >> 2;

    float t0 = 0.f, t1 = 0.f, t2 = 0.f, t3 = 0.f;
    for (int i = threadIdx.x; i < dortlu; i += 32) {
        float4 p = __ldg(a4 + i), q = __ldg(x4 + i);
        t0 = fmaf(p.x, q.x, t0);
        t1 = fmaf(p.y, q.y, t1);
        t2 = fmaf(p.z, q.z, t2);
        t3 = fmaf(p.w, q.w, t3);
    }
    // kalan en çok 3 eleman
    const int kuyruk = (dortlu << 2) + threadIdx.x;
    if (kuyruk < n) t0 = fmaf(a[kuyruk], x[kuyruk], t0);

    float t = (t0 + t1) + (t2 + t3);
    t += __shfl_xor_sync(~0u, t, 1);
    t += __shfl_xor_sync(~0u, t, 2);
    t += __shfl_xor_sync(~0u, t, 4);
    t += __shfl_xor_sync(~0u, t, 8);
    t += __shfl_xor_sync(~0u, t, 16);

    if (threadIdx.x == 0)
        y[satir] = (beta == 0.f) ? alpha * t : alpha * t + beta * y[satir];
}

extern "C" void gemv_n(int m, int n, float alpha, const float *A, int lda,
                       const float *x, float beta, float *y)
{
    if (m > 0) satir_carpimi<<<(m + 7) / 8, dim3(32, 8)>>>(m, n, alpha, A, lda, x, beta, y);
}
