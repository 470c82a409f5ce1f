// reduced matmul, teacher's variant 2: the tiles keep the raw matrix elements,
// the pair sums are formed in the inner loop.
//
//   d_C[i,j] = sum_k (d_A[2i,k]+d_A[2i+1,k]) * (d_B[k,2j]+d_B[k,2j+1])
//   d_A: 2*outRows x inner,  d_B: inner x 2*outCols,  d_C: outRows x outCols
//
// call:  redmm<<<dim3((outCols+15)/16, (outRows+7)/8), dim3(16, 8)>>>(...)

constexpr int OUT_C = 16;   // output columns per block = blockDim.x
constexpr int OUT_R = 8;    // output rows per block    = blockDim.y
constexpr int DEPTH = 32;

__global__ void redmm(const double* d_A, const double* d_B, double* d_C,
                      const unsigned outRows, const unsigned inner, const unsigned outCols)
{
    __shared__ double shA[2 * OUT_R][DEPTH];
    __shared__ double shB[DEPTH][2 * OUT_C];

    const unsigned nThreads = OUT_R * OUT_C;
    const unsigned lin = threadIdx.y * OUT_C + threadIdx.x;
    const unsigned firstA = blockIdx.y * 2 * OUT_R;     // first row of A used here
    const unsigned firstB = blockIdx.x * 2 * OUT_C;     // first column of B used here

    double acc = 0.0;

    for (unsigned k0 = 0; k0 < inner; k0 += DEPTH)
    {
        for (unsigned e = lin; e < 2 * OUT_R * DEPTH; e += nThreads)
        {
            const unsigned r = e / DEPTH, k = e % DEPTH;
            const bool in = firstA + r < 2 * outRows && k0 + k < inner;
            shA[r][k] = in ? d_A[(firstA + r) * inner + k0 + k] : 0.0;
        }
        for (unsigned e = lin; e < DEPTH * 2 * OUT_C; e += nThreads)
        {
            const unsigned k = e / (2 * OUT_C), c = e % (2 * OUT_C);
            const bool in = firstB + c < 2 * outCols && k0 + k < inner;
            shB[k][c] = in ? d_B[(k0 + k) * (2 * outCols) + firstB + c] : 0.0;
        }
        __syncthreads();

        for (int k = 0; k < DEPTH; ++k)
        {
            const double a = shA[2 * threadIdx.y][k] + shA[2 * threadIdx.y + 1][k];
            const double b = shB[k][2 * threadIdx.x] + shB[k][2 * threadIdx.x + 1];
            acc += a * b;
        }
        __syncthreads();
    }

    const unsigned i = blockIdx.y * OUT_R + threadIdx.y;
    const unsigned j = blockIdx.x * OUT_C + threadIdx.x;
    if (i < outRows && j < outCols)
        d_C[i * outCols + j] = acc;
}
