// Overloads, specialisations, a template template parameter, variadic templates, a dynamic shared array, extern templates.
#include <type_traits>
#include <limits>
#include <utility>
#include <stdio.h>
#define FULL 0xffffffffu

template <typename T> struct Plus { __device__ __forceinline__ T operator()(T a, T b) const { return a + b; } static constexpr T zero() { return T(0); } };
template <typename T> struct Maximum { __device__ T operator()(T a, T b) const { return a > b ? a : b; } __device__ static T zero() { return std::numeric_limits<T>::lowest(); } };
template <> struct Plus<int> { __device__ int operator()(int a, int b) const { return a + b; } static constexpr int zero() { return 0; } };

template <typename T, template <typename> class Op, unsigned int THREADS = 128>
__global__ void reduce(const T* in, T* out, size_t n)
{
    static_assert(THREADS % 32 == 0, "whole warps");
    extern __shared__ __align__(8) unsigned char memory[];
    T* partial = reinterpret_cast<T*>(memory);
    Op<T> op;
    T value = Op<T>::zero();
    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        value = op(value, in[i]);
    for (int step = 16; step > 0; step >>= 1)
        value = op(value, __shfl_down_sync(FULL, value, step));
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w)
            value = op(value, partial[w]);
        out[blockIdx.x] = value;
    }
}

__global__ void zero(float* x) { x[threadIdx.x] = 0; }
__global__ void zero(int* x, int value) { x[threadIdx.x] = value; }

template <typename... Args> void launch(void (*kernel)(Args...), dim3 grid, dim3 block, size_t shared, Args... args)
{
    kernel<<<grid, block, shared>>>(std::forward<Args>(args)...);
}

template __global__ void reduce<float, Maximum, 64>(const float*, float*, size_t);

int main()
{
    const unsigned int threads = 128;
    reduce<float, Plus, threads><<<8, threads, threads / 32 * sizeof(float)>>>(nullptr, nullptr, 1 << 20);
    reduce<int, Plus><<<8, 128, 4 * sizeof(int)>>>(nullptr, nullptr, 1 << 20);
    zero<<<1, 32>>>((float*)nullptr);
    printf("%d\n", std::is_same<int, int>::value);
}
