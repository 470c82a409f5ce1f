// Dotproduk soos BLAS se ddot: n elemente, stapgroottes incx en incy (mag negatief of nul wees).
// By 'n negatiewe stap begin die vektor by sy laaste element, presies soos in die BLAS-standaard.
#include <cuda_runtime.h>

struct Skree {                       // vektor met 'n stap
    const double *begin;
    long long stap;
    __host__ Skree(const double *p, long long n, long long inc)
        : begin(inc < 0 ? p - (n - 1) * inc : p), stap(inc) {}
    __device__ double operator[](long long i) const { return begin[i * stap]; }
};

// *uit moet 0 wees voor die lansering. blockDim.x is 'n veelvoud van 32; enige rooster.
__global__ void dot_kern(long long n, Skree x, Skree y, double *uit)
{
    const long long tree = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    double a = 0.0, b = 0.0;                       // twee onafhanklike kettings
    for (; i + tree < n; i += 2 * tree) {
        a += x[i] * y[i];
        b += x[i + tree] * y[i + tree];
    }
    if (i < n) a += x[i] * y[i];

    double s = a + b;
    for (int k = 16; k > 0; k >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, k);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(uit, s);                         // een atomiese optelling per warp
}

cudaError_t ddot(long long n, const double *x, long long incx, const double *y, long long incy,
                 double *uit, cudaStream_t stroom)
{
    cudaError_t fout = cudaMemsetAsync(uit, 0, sizeof(double), stroom);
    if (fout != cudaSuccess || n <= 0) return fout;
    long long blokke = (n + 511) / 512;
    if (blokke > 640) blokke = 640;
    dot_kern<<<(unsigned)blokke, 256, 0, stroom>>>(n, Skree(x, n, incx), Skree(y, n, incy), uit);
    return cudaGetLastError();
}
