// Launches that name no template arguments, or some.
#include <stdio.h>
typedef double real;

template <typename T>
__global__ void scale(T* x, T factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor;
}

template <int BLOCK, typename T, typename Index = int>
__global__ void add(const T* a, const T* b, T* c, Index n)
{
    Index i = blockIdx.x * (Index)BLOCK + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    real *d_x, *d_y;
    float* d_a = nullptr;
    int n = 100;
    scale<<<1, 128>>>(d_x, 2.0, n);
    scale<<<1, 128>>>(d_a, 2.0f, n);
    add<128><<<1, 128>>>(d_x, d_y, d_x, n);
    return 0;
}
