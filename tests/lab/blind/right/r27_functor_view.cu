// C++ style: small matrix view with operator(), and the operations as functors
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

template <typename T>
struct View {
    T* data;
    int rows, cols;
    __host__ __device__ T& operator()(int r, int c) const { return data[r * cols + c]; }
    __host__ __device__ bool inside(int r, int c) const { return r < rows && c < cols; }
};

struct MultiplyAdd {
    template <typename T>
    __host__ __device__ T operator()(T acc, T a, T b) const { return acc + a * b; }
};

template <int B, typename T, typename Op>
__global__ void product(View<const T> a, View<const T> b, View<T> c, Op op)
{
    __shared__ T sa[B][B];
    __shared__ T sb[B][B];
    const int r = blockIdx.y * B + threadIdx.y;
    const int col = blockIdx.x * B + threadIdx.x;

    auto fetch = [](const View<const T>& v, int i, int j) { return v.inside(i, j) ? v(i, j) : T(0); };

    T acc = T(0);
    for (int k0 = 0; k0 < a.cols; k0 += B) {
        sa[threadIdx.y][threadIdx.x] = fetch(a, r, k0 + threadIdx.x);
        sb[threadIdx.y][threadIdx.x] = fetch(b, k0 + threadIdx.y, col);
        __syncthreads();
        for (int k = 0; k < B; ++k)
            acc = op(acc, sa[threadIdx.y][k], sb[k][threadIdx.x]);
        __syncthreads();
    }
    if (c.inside(r, col)) c(r, col) = acc;
}

template <typename T>
T* upload(const std::vector<T>& v)
{
    T* p = nullptr;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    constexpr int B = 8;
    const int m = 61, k = 45, n = 100;
    std::vector<float> a(m * k), b(k * n), c(m * n, 0.f);
    for (int i = 0; i < m * k; ++i) a[i] = float((i * 31) % 17) / 17;
    for (int i = 0; i < k * n; ++i) b[i] = float((i * 13) % 29) / 29;

    float* da = upload(a);
    float* db = upload(b);
    float* dc = upload(c);

    View<const float> va{da, m, k}, vb{db, k, n};
    View<float> vc{dc, m, n};
    product<B><<<dim3((n + B - 1) / B, (m + B - 1) / B), dim3(B, B)>>>(va, vb, vc, MultiplyAdd{});
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int l = 0; l < k; ++l) s += a[i * k + l] * b[l * n + j];
            if (!(std::fabs(s - c[i * n + j]) <= 1e-3f)) ok = false;
        }
    std::puts(ok ? "OK" : "BAD");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return ok ? 0 : 1;
}
