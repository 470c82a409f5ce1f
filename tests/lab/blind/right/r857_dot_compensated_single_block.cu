// Dot2 (Ogita, Rump, Oishi): dot product in double with a running error term.
// One block, blockDim.x a power of two (<= 1024), dynamic shared = blockDim.x * sizeof(double2).
// x, y 16-byte aligned, any n >= 0.  Compile without fast-math (default).
#include <cuda_runtime.h>

struct Acc {
    double hi, lo;
    __device__ void add(double v)                    // TwoSum
    {
        const double t = hi + v;
        const double z = t - hi;
        lo += (hi - (t - z)) + (v - z);
        hi = t;
    }
    __device__ void mad(double a, double b)          // TwoProduct, then TwoSum
    {
        const double p = __dmul_rn(a, b);
        lo += __fma_rn(a, b, -p);
        add(p);
    }
};

__global__ void ddot2(const double* __restrict__ x, const double* __restrict__ y, int n, double* out)
{
    extern __shared__ double2 part[];
    const int t = threadIdx.x;
    const double2* x2 = reinterpret_cast<const double2*>(x);
    const double2* y2 = reinterpret_cast<const double2*>(y);

    Acc s = {0.0, 0.0};
    for (int i = t; i < n / 2; i += blockDim.x) {
        const double2 u = x2[i], v = y2[i];
        s.mad(u.x, v.x);
        s.mad(u.y, v.y);
    }
    if ((n & 1) && t == blockDim.x - 1) s.mad(x[n - 1], y[n - 1]);

    part[t] = make_double2(s.hi, s.lo);
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            const double2 o = part[t + half];
            s.add(o.x);
            s.lo += o.y;
            part[t] = make_double2(s.hi, s.lo);
        }
    }
    if (t == 0) *out = s.hi + s.lo;
}

void ddot2_launch(const double* x, const double* y, int n, double* out)
{
    ddot2<<<1, 512, 512 * sizeof(double2)>>>(x, y, n, out);
}
