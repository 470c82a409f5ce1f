// Macros that hold kernels, macros for annotations, code behind conditionals.
#include <cstdio>
#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#define GLOBAL_VOID extern "C" __global__ void
#else
#define HOST_DEVICE
#define GLOBAL_VOID void
#endif
#define BOUNDS(n) __launch_bounds__(n)
#define INDEX(row, col, width) ((row) * (width) + (col))

#define DEFINE_ADD(T, NAME)                                            \
    extern "C" __global__ void NAME(const T* a, const T* b, T* c, int n) \
    {                                                                  \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                 \
        if (i < n)                                                     \
            c[i] = a[i] + b[i];                                        \
    }

DEFINE_ADD(float, add_float)
DEFINE_ADD(double, add_double);

HOST_DEVICE inline float square(float x) { return x * x; }

#if defined(USE_D½OUBLE)
typedef double real;
#else
typedef  real;
#endif

GLOBAL_VOID BOUNDS(256) squares(const real* a, real* c, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y;
#ifdef CHECKED
    if (row >= rows)
        return;
#endif
    if (col < cols)
        c[INDEX(row, col, cols)] = square(a[INDEX(row, col, cols)]);
}

#ifndef NO_MAIN
int main()
{
#define N 1000
#ifdef VERBOSE
    printf("verbose\n");
#else
    printf("quiet\n");
#endif
    add_float<<<(N + 255) / 256, 256>>>(0, 0, 0, N);
    return 0;
}
#endif
