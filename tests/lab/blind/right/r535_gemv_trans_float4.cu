#include <cuda_runtime.h>

/* y = alpha * A^T * x + beta * y
 *
 * A is row-major, rows x cols with leading dimension lda.
 * cols and lda have to be multiples of 4 and A 16-byte aligned, because a thread
 * owns four neighbouring columns and reads them as one float4. rows is arbitrary.
 *
 * block = (32, 8)  ->  128 columns per block, the 8 "rows" of threads walk down A
 * grid  = ((cols + 127) / 128)
 */
struct Vec4Acc
{
    float x, y, z, w;
    __device__ Vec4Acc() : x(0.f), y(0.f), z(0.f), w(0.f) {}
    __device__ void fma(const float4& a, float s)
    {
        x = fmaf(a.x, s, x);
        y = fmaf(a.y, s, y);
        z = fmaf(a.z, s, z);
        w = fmaf(a.w, s, w);
    }
};

static const int GX = 32;
static const int GY = 8;

extern "C" __global__ void gemv_t_v4(int rows, int cols, float alpha,
                                     const float* __restrict__ A, int lda,
                                     const float* __restrict__ x,
                                     float beta, float* __restrict__ y)
{
    __shared__ float4 red[GY][GX];

    const int q = blockIdx.x * GX + threadIdx.x;   // index of the group of 4 columns
    const bool inside = q < cols / 4;

    Vec4Acc acc;
    if (inside) {
        for (int r = threadIdx.y; r < rows; r += GY) {
            const float4* rowPtr = reinterpret_cast<const float4*>(A + (size_t)r * lda);
            acc.fma(rowPtr[q], x[r]);
        }
    }
    red[threadIdx.y][threadIdx.x] = make_float4(acc.x, acc.y, acc.z, acc.w);
    __syncthreads();

    // tree over threadIdx.y
    for (int s = GY / 2; s > 0; s /= 2) {
        if (threadIdx.y < s) {
            float4 u = red[threadIdx.y][threadIdx.x];
            const float4 v = red[threadIdx.y + s][threadIdx.x];
            u.x += v.x; u.y += v.y; u.z += v.z; u.w += v.w;
            red[threadIdx.y][threadIdx.x] = u;
        }
        __syncthreads();
    }

    if (threadIdx.y == 0 && inside) {
        const float4 s = red[0][threadIdx.x];
        float* out = y + 4 * q;
        if (beta == 0.f) {
            out[0] = alpha * s.x; out[1] = alpha * s.y;
            out[2] = alpha * s.z; out[3] = alpha * s.w;
        } else {
            out[0] = alpha * s.x + beta * out[0];
            out[1] = alpha * s.y + beta * out[1];
            out[2] = alpha * s.z + beta * out[2];
            out[3] = alpha * s.w + beta * out[3];
        }
    }
}
