// column-major C(m x n) = A(m x k) * B(k x n), leading dimensions lda, ldb, ldc
// blockDim = (TX, TY) with TX = TY = T, grid = (ceil(m/T), ceil(n/T)), all sizes allowed
template <class E, int T>
__global__ void gemmCol(int m, int n, int k, const E *A, int lda, const E *B, int ldb, E *C, int ldc)
{
    __shared__ E sa[T][T + 1];
    __shared__ E sb[T][T + 1];

    const int i = blockIdx.x * T + threadIdx.x;
    const int j = blockIdx.y * T + threadIdx.y;
    E acc = E(0);

    for (int l = 0; l < k; l += T) {
        E va = E(0), vb = E(0);
        if (i < m && l + threadIdx.y < k)
            va = A[i + (l + threadIdx.y) * lda];
        if (l + threadIdx.x < k && j < n)
            vb = B[l + threadIdx.x + j * ldb];
        sa[threadIdx.y][threadIdx.x] = va;
        sb[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();

        for (int p = 0; p < T; ++p)
            acc += sa[p][threadIdx.x] * sb[threadIdx.y][p];
        __syncthreads();
    }

    if (i < n && j < m)
        C[i + j * ldc] = acc;
}

template __global__ void gemmCol<float, 16>(int, int, int, const float *, int, const float *, int, float *, int);
template __global__ void gemmCol<double, 8>(int, int, int, const double *, int, const double *, int, double *, int);
