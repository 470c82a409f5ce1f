// Reduced matrix product for rectangular operands (course project, part B).
//   A: M x K, B: K x N, C: (M/2) x (N/2), row major, M and N even, K arbitrary.
//   C(i,j) = sum over the 2x2 window (2i..2i+1, 2j..2j+1) of A*B
// grid: ((N/2 + 15)/16, (M/2 + 15)/16), block: (16, 16)

template <typename T, int S = 16>
__global__ void reducedProduct(const T *A, const T *B, T *C, int M, int N, int K)
{
    __shared__ T rowPairs[S][S];
    __shared__ T colPairs[S][S];

    const int i = blockIdx.y * S + threadIdx.y;
    const int j = blockIdx.x * S + threadIdx.x;
    const int rows = M / 2, cols = N / 2;

    auto a = [&](int r, int k) { return A[(size_t)r * K + k]; };
    auto b = [&](int k, int c) { return B[(size_t)k * N + c]; };

    T acc = T(0);
    for (int k0 = 0; k0 < K; k0 += S) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;

        if (i < rows && ka < K)
            rowPairs[threadIdx.y][threadIdx.x] = a(2 * i, ka) + a(2 * i + 1, ka);
        if (j < cols && kb < K)
            colPairs[threadIdx.y][threadIdx.x] = b(kb, 2 * j) + b(kb, 2 * j + 1);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < S; ++k)
            acc += rowPairs[threadIdx.y][k] * colPairs[k][threadIdx.x];
        __syncthreads();
    }

    if (i < rows && j < cols)
        C[(size_t)i * cols + j] = acc;
}
