// Differences of neighbours: y[i] = x[i + 1] - x[i], and 0 for the last.

extern "C" __global__ void difference(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = i + 1 < n ? x[i + 1] - x[i] : 0;
}
