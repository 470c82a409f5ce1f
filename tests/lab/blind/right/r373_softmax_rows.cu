// Assignment 5: numerically stable softmax over every row of a matrix.
//   out[r][c] = exp(in[r][c] - max_r) / sum_c exp(in[r][c] - max_r)
// One block per row, any number of columns >= 1, rows >= 1.
// The inputs are finite numbers. In-place operation (in == out) is allowed.
// Restriction: `threads` has to be a power of two, at most 1024.
#include <cuda_runtime.h>

struct MaxOp {
    template <typename T>
    __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

struct AddOp {
    template <typename T>
    __device__ T operator()(T a, T b) const { return a + b; }
};

// Tree reduction over the block; every thread gets the result.
template <typename T, typename Op>
__device__ T block_reduce(T value, T* scratch, Op op)
{
    const unsigned t = threadIdx.x;
    scratch[t] = value;
    __syncthreads();
    for (unsigned s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (t < s)
            scratch[t] = op(scratch[t], scratch[t + s]);
        __syncthreads();
    }
    const T result = scratch[0];
    __syncthreads();            // scratch may be reused by the caller
    return result;
}

template <typename T>
__global__ void softmax_rows(const T* in, T* out, int cols)
{
    extern __shared__ __align__(sizeof(double)) unsigned char raw[];
    T* scratch = reinterpret_cast<T*>(raw);

    const size_t offset = (size_t)blockIdx.x * cols;
    const T* x = in + offset;
    T* y = out + offset;

    // x[0] is a valid starting value even for threads without a column
    T m = x[0];
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        m = x[c] > m ? x[c] : m;
    m = block_reduce(m, scratch, MaxOp());

    T s = T(0);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        const T e = exp(x[c] - m);
        y[c] = e;
        s += e;
    }
    s = block_reduce(s, scratch, AddOp());

    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[c] /= s;
}

template <typename T>
cudaError_t softmax(const T* d_in, T* d_out, int rows, int cols, int threads)
{
    if (rows < 1 || cols < 1)
        return cudaErrorInvalidValue;
    if (threads < 1 || threads > 1024 || (threads & (threads - 1)) != 0)
        return cudaErrorInvalidValue;
    softmax_rows<T><<<rows, threads, threads * sizeof(T)>>>(d_in, d_out, cols);
    return cudaGetLastError();
}

template cudaError_t softmax<float>(const float*, float*, int, int, int);
template cudaError_t softmax<double>(const double*, double*, int, int, int);
