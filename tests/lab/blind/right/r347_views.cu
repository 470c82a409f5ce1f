// Lab 5, general matrix multiply: C = alpha * A * B + beta * C
// Row-major storage with explicit leading dimensions (ld >= number of columns).
#include <cmath>
#include <cstdio>
#include <vector>

template <typename T>
struct View {
    T  *data;
    int rows, cols, ld;

    __device__ T get_or_zero(int r, int c) const
    {
        return (r < rows && c < cols) ? data[static_cast<size_t>(r) * ld + c] : T(0);
    }
    __device__ bool inside(int r, int c) const { return r < rows && c < cols; }
    __device__ T &ref(int r, int c) { return data[static_cast<size_t>(r) * ld + c]; }
};

template <typename T, int TS>
__global__ void gemm(T alpha, View<const T> a, View<const T> b, T beta, View<T> c)
{
    __shared__ T ta[TS][TS];
    __shared__ T tb[TS][TS + 1];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int r = blockIdx.y * TS + y;
    const int q = blockIdx.x * TS + x;

    T acc = T(0);
    for (int k0 = 0; k0 < a.cols; k0 += TS) {
        ta[y][x] = a.get_or_zero(r, k0 + x);
        tb[y][x] = b.get_or_zero(k0 + y, q);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TS; ++k)
            acc += ta[y][k] * tb[k][x];
        __syncthreads();
    }

    if (c.inside(r, q)) {
        // beta == 0 means that C need not hold numbers on entry
        T old = (beta == T(0)) ? T(0) : beta * c.ref(r, q);
        c.ref(r, q) = alpha * acc + old;
    }
}

template <typename T, int TS>
int trial(int m, int n, int k, T alpha, T beta)
{
    const int lda = k + 3, ldb = n + 1, ldc = n + 5;
    std::vector<T> a(size_t(m) * lda), b(size_t(k) * ldb), c(size_t(m) * ldc), out(c.size());
    for (size_t i = 0; i < a.size(); ++i) a[i] = T(int(i % 11) - 5);
    for (size_t i = 0; i < b.size(); ++i) b[i] = T(int(i % 9) - 4);
    for (size_t i = 0; i < c.size(); ++i) c[i] = T(int(i % 4));

    T *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(T));
    cudaMalloc(&db, b.size() * sizeof(T));
    cudaMalloc(&dc, c.size() * sizeof(T));
    cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice);

    View<const T> va = {da, m, k, lda};
    View<const T> vb = {db, k, n, ldb};
    View<T> vc = {dc, m, n, ldc};
    dim3 block(TS, TS), grid((n + TS - 1) / TS, (m + TS - 1) / TS);
    gemm<T, TS><<<grid, block>>>(alpha, va, vb, beta, vc);
    cudaMemcpy(out.data(), dc, out.size() * sizeof(T), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            T s = 0;
            for (int l = 0; l < k; ++l) s += a[size_t(i) * lda + l] * b[size_t(l) * ldb + j];
            T want = alpha * s + beta * c[size_t(i) * ldc + j];
            if (std::fabs(double(want - out[size_t(i) * ldc + j])) > 1e-2) ++bad;
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return bad;
}

int main()
{
    int bad = 0;
    bad += trial<double, 8>(37, 61, 29, 1.5, -0.5);
    bad += trial<float, 16>(64, 16, 5, 2.0f, 0.0f);
    bad += trial<float, 32>(33, 70, 100, 1.0f, 1.0f);
    std::printf(bad ? "%d elements differ\n" : "all right (%d differ)\n", bad);
    return bad != 0;
}
