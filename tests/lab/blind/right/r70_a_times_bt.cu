// out[i][o] = sum_c in[i][c] * weight[o][c]       ("linear layer" forward, no bias)
// both operands are row-major with the reduction index fastest: C = A * B^T
//
// launch with dim3 block(16,16), grid(ceil(O/16), ceil(I/16))

static constexpr int TW = 16;

__global__ void linear_forward(float* out, const float* in, const float* weight,
                               const int I, const int O, const int Cdim)
{
    __shared__ float tin[TW][TW];
    __shared__ float tw[TW][TW + 1];   // read by column below -> pad

    const int ib = blockIdx.y * TW;
    const int ob = blockIdx.x * TW;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    float val = 0.0f;
    for (int c0 = 0; c0 < Cdim; c0 += TW) {
        const int c = c0 + tx;
        const int i = ib + ty;
        const int o = ob + ty;          // NOT ob + tx: row of weight is loaded along tx
        tin[ty][tx] = (i < I && c < Cdim) ? in[i * Cdim + c] : 0.0f;
        tw[ty][tx]  = (o < O && c < Cdim) ? weight[o * Cdim + c] : 0.0f;
        __syncthreads();

        for (int q = 0; q < TW; q++)
            val += tin[ty][q] * tw[tx][q];
        __syncthreads();
    }

    if (ib + ty < I && ob + tx < O)
        out[(ib + ty) * O + ob + tx] = val;
}
