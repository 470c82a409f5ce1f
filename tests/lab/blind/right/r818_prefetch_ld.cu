// Зведений добуток: C = (пари рядків A) x (пари стовпців B)
// Прямокутний блок потоків BX x BY, наступна плитка читається в регістри
// ще до того, як закінчено обчислення поточної.
//   C має розмір m x n, A: 2m x k (крок lda), B: k x 2n (крок ldb), крок C: ldc
//   m, n, k <= 15000, lda >= k, ldb >= 2n, ldc >= n

#define BX 32
#define BY 8
#define BK 32

template <typename T>
__device__ T paraRiadkiv(const T *A, int lda, int i, int kk, int m, int k)
{
    if (i >= m || kk >= k) return T(0);
    size_t p = (size_t)(2 * i) * lda + kk;
    return A[p] + A[p + lda];
}

template <typename T>
__device__ T paraStovpciv(const T *B, int ldb, int kk, int j, int k, int n)
{
    if (kk >= k || j >= n) return T(0);
    size_t p = (size_t)kk * ldb + 2 * j;
    return B[p] + B[p + 1];
}

template <typename T>
__global__ void zvedenyi(int m, int n, int k, const T *A, int lda,
                         const T *B, int ldb, T *C, int ldc)
{
    __shared__ T sa[BY][BK];
    __shared__ T sb[BK][BX];

    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * BY + y;
    int j = blockIdx.x * BX + x;

    // BK == BX: кожен потік бере одне значення A і BK/BY значень B
    T ra = paraRiadkiv(A, lda, i, x, m, k);
    T rb[BK / BY];
    for (int s = 0; s < BK / BY; s++)
        rb[s] = paraStovpciv(B, ldb, y + s * BY, j, k, n);

    T sum = T(0);
    for (int k0 = 0; k0 < k; k0 += BK) {
        sa[y][x] = ra;
        for (int s = 0; s < BK / BY; s++)
            sb[y + s * BY][x] = rb[s];
        __syncthreads();

        int nast = k0 + BK;
        if (nast < k) {
            ra = paraRiadkiv(A, lda, i, nast + x, m, k);
            for (int s = 0; s < BK / BY; s++)
                rb[s] = paraStovpciv(B, ldb, nast + y + s * BY, j, k, n);
        }

        for (int l = 0; l < BK; l++)
            sum += sa[y][l] * sb[l][x];
        __syncthreads();
    }

    if (i < m && j < n)
        C[(size_t)i * ldc + j] = sum;
}

template __global__ void zvedenyi<float>(int, int, int, const float *, int, const float *, int, float *, int);
template __global__ void zvedenyi<double>(int, int, int, const double *, int, const double *, int, double *, int);
