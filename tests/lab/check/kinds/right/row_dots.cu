// out[r] is the dot product of row r of X and row r of Y.
__global__ void row_dots(float *out, const float *X, const float *Y, int length) {
    __shared__ float sums[128];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < length; i += blockDim.x) sum += X[blockIdx.x * length + i] * Y[blockIdx.x * length + i];
    sums[threadIdx.x] = sum;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
