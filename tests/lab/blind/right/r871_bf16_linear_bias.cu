// Linear layer forward, bf16 in, fp32 accumulate and fp32 out:
//   out[r][o] = sum_i in[r][i] * w[i][o] + bias[o]
// in: R x I, w: I x O, out: R x O, all row-major and dense; bias may be null.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

typedef __nv_bfloat16 bf16;

static constexpr int TR = 32, TO = 32, TI = 16, THREADS = 128;
static constexpr int PER = TR * TO / THREADS;     // 8 outputs per thread, all in one column

__global__ void linear_fwd(const bf16* __restrict__ in, const bf16* __restrict__ w,
                           const float* __restrict__ bias, float* __restrict__ out,
                           int R, int I, int O)
{
    __shared__ float s_in[TI][TR + 1];            // stored transposed
    __shared__ float s_w[TI][TO];

    const int tid = threadIdx.x;
    const int tiles_o = (O + TO - 1) / TO;        // the grid is flat: tile = blockIdx.x
    const int r0 = blockIdx.x / tiles_o * TR;
    const int o0 = blockIdx.x % tiles_o * TO;

    const int oc = tid & 31;
    const int rq = tid >> 5;                      // rows rq, rq+4, rq+8, ...

    float acc[PER];
    const float start = bias && o0 + oc < O ? bias[o0 + oc] : 0.f;
    for (int e = 0; e < PER; ++e) acc[e] = start;

    for (int i0 = 0; i0 < I; i0 += TI) {
        for (int e = tid; e < TR * TI; e += THREADS) {
            const int r = e / TI, i = e % TI;
            float v = 0.f;
            if (r0 + r < R && i0 + i < I) v = __bfloat162float(in[(size_t)(r0 + r) * I + i0 + i]);
            s_in[i][r] = v;
        }
        for (int e = tid; e < TI * TO; e += THREADS) {
            const int i = e / TO, o = e % TO;
            float v = 0.f;
            if (i0 + i < I && o0 + o < O) v = __bfloat162float(w[(size_t)(i0 + i) * O + o0 + o]);
            s_w[i][o] = v;
        }
        __syncthreads();
        for (int i = 0; i < TI; ++i) {
            const float x = s_w[i][oc];
#pragma unroll
            for (int e = 0; e < PER; ++e) acc[e] += s_in[i][rq + 4 * e] * x;
        }
        __syncthreads();
    }

    if (o0 + oc >= O) return;
#pragma unroll
    for (int e = 0; e < PER; ++e) {
        const int r = r0 + rq + 4 * e;
        if (r < R) out[(size_t)r * O + o0 + oc] = acc[e];
    }
}

void linear_forward(const bf16* in, const bf16* w, const float* bias, float* out,
                    int R, int I, int O, cudaStream_t s)
{
    const int blocks = ((R + TR - 1) / TR) * ((O + TO - 1) / TO);
    if (blocks) linear_fwd<<<blocks, THREADS, 0, s>>>(in, w, bias, out, R, I, O);
}
