// Smoothing: y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3, the ends as they are.
// It works in place, while the neighbours still need the old values.

extern "C" __global__ void smooth(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;  // planted: race
}
