// Pair-summed matrix product, kernel only.
//   A: 2h x p, B: p x 2w, C: h x w, row major
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// Launch: 1-D blocks of 256 threads, grid ((w + 15) / 16, (h + 15) / 16).

__global__ void pairsum_product(const float *A, const float *B, float *C,
                                unsigned h, unsigned w, unsigned p)
{
    __shared__ float left[256], right[256];

    const unsigned t = threadIdx.x;
    const unsigned r = t >> 4;
    const unsigned c = t & 15;
    const unsigned i = blockIdx.y * 16 + r;
    const unsigned j = blockIdx.x * 16 + c;
    float value = 0.0f;

    for (unsigned base = 0; base < p; base += 16) {
        float s = 0.0f;
        if (i < h && base + c < p) {
            s  = A[(2 * i) * p + base + c];
            s += A[(2 * i + 1) * p + base + c];
        }
        left[t] = s;

        s = 0.0f;
        if (base + r < p && j < w) {
            s  = B[(base + r) * 2 * w + 2 * j];
            s += B[(base + r) * 2 * w + 2 * j + 1];
        }
        right[t] = s;
        __syncthreads();

        #pragma unroll
        for (unsigned k = 0; k < 16; ++k)
            value += left[(r << 4) + k] * right[(k << 4) + c];
        __syncthreads();
    }

    if (i < h && j < w)
        C[i * w + j] = value;
}
