#include <cuda_runtime.h>
#include <cstdio>
#include <type_traits>
#include <vector>

enum class Order { Row, Col };

template <typename T, Order O>
struct MatView {
    T *p;
    int rows, cols;
    __host__ __device__ T &operator()(int r, int c) const
    {
        return O == Order::Row ? p[(size_t)r * cols + c] : p[(size_t)c * rows + r];
    }
};

template <typename T, int BH, int BW, int BK, Order OA, Order OB, Order OC>
__global__ void gemm(MatView<const T, OA> A, MatView<const T, OB> B, MatView<T, OC> C)
{
    __shared__ T sa[BH][BK];
    __shared__ T sb[BK][BW];
    const int r = blockIdx.y * BH + threadIdx.y;
    const int c = blockIdx.x * BW + threadIdx.x;
    const int K = A.cols;
    T acc = T(0);

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int q = threadIdx.x; q < BK; q += BW)
            sa[threadIdx.y][q] = (r < A.rows && k0 + q < K) ? A(r, k0 + q) : T(0);
        for (int q = threadIdx.y; q < BK; q += BH)
            sb[q][threadIdx.x] = (c < B.cols && k0 + q < K) ? B(k0 + q, c) : T(0);
        __syncthreads();
        for (int q = 0; q < BK; ++q)
            acc += sa[threadIdx.y][q] * sb[q][threadIdx.x];
        __syncthreads();
    }
    if (r < C.rows && c < C.cols) C(r, c) = acc;
}

template <typename T, Order OA, Order OB, Order OC>
bool test(int M, int N, int K)
{
    std::vector<T> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = T(i % 10 - 4);
    for (int i = 0; i < K * N; ++i) b[i] = T(i % 7 - 3);
    T *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(T));
    cudaMalloc(&db, b.size() * sizeof(T));
    cudaMalloc(&dc, c.size() * sizeof(T));
    cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);

    constexpr int BH = 8, BW = 32, BK = 24;
    dim3 grid((N + BW - 1) / BW, (M + BH - 1) / BH);
    gemm<T, BH, BW, BK, OA, OB, OC><<<grid, dim3(BW, BH)>>>({da, M, K}, {db, K, N}, {dc, M, N});
    cudaMemcpy(c.data(), dc, c.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dc);

    MatView<const T, OA> A{a.data(), M, K};
    MatView<const T, OB> B{b.data(), K, N};
    MatView<T, OC> C{c.data(), M, N};
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            T s = T(0);
            for (int p = 0; p < K; ++p) s += A(i, p) * B(p, j);
            if (s != C(i, j)) return false;
        }
    return true;
}

int main()
{
    printf("int    row*row->row: %d\n", test<int, Order::Row, Order::Row, Order::Row>(45, 70, 61));
    printf("float  row*col->col: %d\n", test<float, Order::Row, Order::Col, Order::Col>(64, 64, 96));
    printf("double col*row->row: %d\n", test<double, Order::Col, Order::Row, Order::Row>(1, 33, 500));
    return 0;
}
