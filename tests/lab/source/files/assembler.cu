// Inline PTX, vector types, attributes, restrict, __grid_constant__, clusters.
#include <cuda_runtime.h>
#include <iostream>

struct Params { int n; float scale; };

__device__ __noinline__ unsigned lane() { unsigned id; asm volatile("mov.u32 %0, %%laneid;" : "=r"(id)); return id; }

__global__ __launch_bounds__(128, 2) void load4(const float4* __restrict__ in, float4* __restrict__ out, const __grid_constant__ Params p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    [[maybe_unused]] unsigned id = lane();
    alignas(16) float values[4];
    if (i < p.n) {
        float4 v = in[i];
        values[0] = v.x; values[1] = v.y; values[2] = v.z; values[3] = v.w;
        for (float& value : values) value *= p.scale;
        out[i] = make_float4(values[0], values[1], values[2], values[3]);
    }
}

int main()
{
    Params p{256, 2.f};
    load4<<<dim3{2}, dim3{128, 1, 1}>>>(nullptr, nullptr, p);
    std::cout << cudaGetErrorString(cudaGetLastError()) << std::endl;
}
