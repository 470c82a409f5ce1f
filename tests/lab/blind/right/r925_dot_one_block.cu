// Dot product with a single block of any size from 1 to 1024 threads
// (it need not be a power of two):
//   dot1<<<1, threads, threads * sizeof(float)>>>(x, y, n, out);

__global__ void dot1(const float *x, const float *y, int n, float *out)
{
    extern __shared__ float part[];
    const int t = threadIdx.x;

    float s = 0.0f;
    for (int i = t; i < n; i += blockDim.x)
        s += x[i] * y[i];
    part[t] = s;
    __syncthreads();

    int len = blockDim.x;
    while (len > 1) {
        int half = (len + 1) / 2;      // the middle one stays where it is
        if (t + half < len)
            part[t] += part[t + half];
        __syncthreads();
        len = half;
    }

    if (t == 0)
        *out = part[0];
}
