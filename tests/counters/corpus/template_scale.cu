// One template, two kernels: scaling for any type, several elements per thread. Entries have their mangled names.

template <typename Value, int PER_THREAD>
__global__ void scale(const Value* values, Value* out, Value factor, int count)
{
    int first = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
#pragma unroll
    for (int part = 0; part < PER_THREAD; ++part) {
        int i = first + part * blockDim.x;
        if (i < count) out[i] = factor * values[i];
    }
}

template __global__ void scale<float, 2>(const float*, float*, float, int);
template __global__ void scale<short, 4>(const short*, short*, short, int);
