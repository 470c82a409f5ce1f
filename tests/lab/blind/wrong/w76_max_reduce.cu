// Row-wise maximum of a row-major matrix (rows x cols).
// One block per row, 256 threads per block: rowMax<<<rows, 256>>>(in, out, cols);
#include <cuda_runtime.h>
#include <cfloat>

__global__ void rowMax(const float *in, float *out, int cols)
{
    __shared__ float sh[256];

    const int tid = threadIdx.x;
    const float *rowPtr = in + (size_t)blockIdx.x * cols;

    float best = -FLT_MAX;
    for (int c = tid; c < cols; c += blockDim.x) {
        float v = rowPtr[c];
        if (v > best)
            best = v;
    }
    sh[tid] = best;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            if (sh[tid + s] > sh[tid])
                sh[tid] = sh[tid + s];
        }
    }

    if (tid == 0)
        out[blockIdx.x] = sh[0];
}
