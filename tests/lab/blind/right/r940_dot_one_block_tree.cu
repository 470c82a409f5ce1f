// Dot product by a single block of any size (1 .. 1024 threads), double precision.
// Launch: dot1<<<1, threads, threads * sizeof(double)>>>(x, y, result, n);
__global__ void dot1(const double *x, const double *y, double *result, long n)
{
    extern __shared__ double part[];
    unsigned t = threadIdx.x;

    double s = 0.0;
    for (long i = t; i < n; i += blockDim.x)
        s += x[i] * y[i];
    part[t] = s;
    __syncthreads();

    // halve the number of live sums, rounding up
    unsigned live = blockDim.x;
    while (live > 1) {
        unsigned half = (live + 1) / 2;
        if (t < live / 2)
            part[t] += part[t + half];
        __syncthreads();
        live = half;
    }

    if (t == 0)
        *result = part[0];
}
