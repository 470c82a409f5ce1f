// Differences of neighbours: y[i] = x[i + 1] - x[i], and 0 for the last.
// The last element has no neighbour.

extern "C" __global__ void difference(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i + 1] - x[i];  // planted: out of bounds
}
