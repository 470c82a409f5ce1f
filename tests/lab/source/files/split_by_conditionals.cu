// A function whose head depends on a macro, so that its braces do not pair up line by line.
#include <cstdio>

#ifdef OLD
float reference(float* a)
{
#else
float reference(float* a, int n)
{
    if (n < 1) return 0;
#endif
    return a[0];
}

__global__ void
#ifdef CONST_INPUT
copy(const float* a, float* b)
#else
copy(float* a, float* b)
#endif
{
    b[threadIdx.x] = a[threadIdx.x];
}

int main() { copy<<<1, 64>>>(0, 0); printf("%f\n", 1.0); }
