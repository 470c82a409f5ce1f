#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
#include <cstdlib>
using namespace nvcuda;

__global__ void convert(const __half* a, const __nv_bfloat16* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __half2float(a[i]) + __bfloat162float(b[i]);
}

static float host_value(__half h) { return __half2float(h) + rand(); }
int main() { return (int)host_value(__float2half(1.0f)); }
