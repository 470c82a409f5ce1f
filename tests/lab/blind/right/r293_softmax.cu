// Row-wise softmax, one block per row (blocks loop if rows > grid).
// Numerically safe: subtract the row maximum before exp.
#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

struct MaxOp {
    static constexpr float identity = -FLT_MAX;
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct SumOp {
    static constexpr float identity = 0.0f;
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op>
__device__ float warpAllReduce(float v, Op op) {
    #pragma unroll
    for (int mask = 16; mask >= 1; mask /= 2)
        v = op(v, __shfl_xor_sync(0xffffffff, v, mask));
    return v;
}

// result in all threads; NUM_WARPS <= 32
template <int NUM_WARPS, typename Op>
__device__ float blockAllReduce(float v, Op op) {
    __shared__ float slots[NUM_WARPS];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    v = warpAllReduce(v, op);
    __syncthreads();                 // the previous user of slots is done
    if (lane == 0) slots[warp] = v;
    __syncthreads();
    v = lane < NUM_WARPS ? slots[lane] : float(Op::identity);
    return warpAllReduce(v, op);
}

template <int THREADS>
__global__ void softmaxRows(const float* in, float* out, int rows, int cols) {
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "bad block size");
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float* src = in + (size_t)r * cols;
        float* dst = out + (size_t)r * cols;

        float m = MaxOp::identity;
        for (int c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, src[c]);
        m = blockAllReduce<THREADS / 32>(m, MaxOp{});

        float s = 0.0f;
        for (int c = threadIdx.x; c < cols; c += THREADS) s += expf(src[c] - m);
        s = blockAllReduce<THREADS / 32>(s, SumOp{});

        const float inv = 1.0f / s;
        for (int c = threadIdx.x; c < cols; c += THREADS) dst[c] = expf(src[c] - m) * inv;
    }
}

int main() {
    const int rows = 300, cols = 777;
    const size_t count = (size_t)rows * cols;
    std::vector<float> h(count), got(count);
    for (size_t i = 0; i < count; ++i) h[i] = 5.0f * std::sin(0.37f * (float)(i % 10007));

    float *dIn = nullptr, *dOut = nullptr;
    if (cudaMalloc(&dIn, count * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&dOut, count * sizeof(float)) != cudaSuccess) {
        std::puts("allocation failed");
        return 1;
    }
    cudaMemcpy(dIn, h.data(), count * sizeof(float), cudaMemcpyHostToDevice);

    softmaxRows<128><<<100, 128>>>(dIn, dOut, rows, cols);
    if (cudaError_t e = cudaGetLastError()) {
        std::printf("launch: %s\n", cudaGetErrorString(e));
        return 1;
    }
    cudaMemcpy(got.data(), dOut, count * sizeof(float), cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int r = 0; r < rows; ++r) {
        double m = -1e30, s = 0;
        for (int c = 0; c < cols; ++c) m = std::fmax(m, h[(size_t)r * cols + c]);
        for (int c = 0; c < cols; ++c) s += std::exp(h[(size_t)r * cols + c] - m);
        for (int c = 0; c < cols; ++c) {
            double want = std::exp(h[(size_t)r * cols + c] - m) / s;
            worst = std::fmax(worst, std::fabs(want - got[(size_t)r * cols + c]));
        }
    }
    std::printf("worst error %.3g\n", worst);
    cudaFree(dIn);
    cudaFree(dOut);
    return worst < 1e-5 ? 0 : 1;
}
