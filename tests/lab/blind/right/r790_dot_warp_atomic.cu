// Скалярное произведение: редукция внутри варпа через shuffle,
// затем одна atomicAdd на блок.
//
// *out перед запуском нужно обнулить:
//     cudaMemset(out, 0, sizeof(float));
//     dotKernel<<<120, 256>>>(a, b, out, n);
// Число блоков любое, размер блока кратен 32.

__inline__ __device__ float warpSum(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void dotKernel(const float* __restrict__ a, const float* __restrict__ b,
                          float* out, size_t n)
{
    __shared__ float part[32];

    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    int nwarps = blockDim.x >> 5;

    float s = 0.f;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        s += a[i] * b[i];

    s = warpSum(s);
    if (lane == 0)
        part[warp] = s;
    __syncthreads();

    // первый варп складывает суммы варпов
    if (warp == 0) {
        s = (lane < nwarps) ? part[lane] : 0.f;
        s = warpSum(s);
        if (lane == 0)
            atomicAdd(out, s);
    }
}
