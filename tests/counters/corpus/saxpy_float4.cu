// y = alpha * x + y with 128-bit accesses: each thread moves four elements at once.
// The last count % 4 elements are left to the first threads, one each.

extern "C" __global__ void saxpy_float4(const float* x, float* y, float alpha, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = count / 4;
    if (i < quads) {
        float4 from = reinterpret_cast<const float4*>(x)[i];
        float4 to = reinterpret_cast<float4*>(y)[i];
        to.x += alpha * from.x;
        to.y += alpha * from.y;
        to.z += alpha * from.z;
        to.w += alpha * from.w;
        reinterpret_cast<float4*>(y)[i] = to;
    }
    if (i < count % 4) y[4 * quads + i] += alpha * x[4 * quads + i];
}
