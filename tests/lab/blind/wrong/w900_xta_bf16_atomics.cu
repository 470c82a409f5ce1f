#include <cuda_bf16.h>

// y = x^T A.  A: m x n bf16 (rhes wrth res, n yn eilrif), x: m float, y: n float.
// Mae pob edefyn yn cymryd dwy golofn gyfagos; mae gridDim.y bloc yn rhannu'r rhesi.
// Gofod: grid(ceil(n/2 / 64), RHAN), bloc 64. Nid oes angen paratoi y.

#define RHAN 12

__global__ void xta(const __nv_bfloat162 *__restrict__ A, const float *__restrict__ x, float *y, int m, int n)
{
    const int n2 = n / 2;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n2) return;

    if (blockIdx.y == 0) {
        y[2 * c] = 0.f;
        y[2 * c + 1] = 0.f;
    }

    const int darn = (m + gridDim.y - 1) / gridDim.y;
    const int r0 = blockIdx.y * darn;
    const int r1 = min(r0 + darn, m);

    float2 s = make_float2(0.f, 0.f);
    for (int r = r0; r < r1; ++r) {
        const float2 a = __bfloat1622float2(A[(size_t)r * n2 + c]);
        s.x = fmaf(x[r], a.x, s.x);
        s.y = fmaf(x[r], a.y, s.y);
    }
    atomicAdd(&y[2 * c], s.x);
    atomicAdd(&y[2 * c + 1], s.y);
}

void xta_cychwyn(const __nv_bfloat16 *A, const float *x, float *y, int m, int n)
{
    dim3 grid((n / 2 + 63) / 64, RHAN);
    xta<<<grid, 64>>>(reinterpret_cast<const __nv_bfloat162 *>(A), x, y, m, n);
}
