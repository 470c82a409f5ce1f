#include <cuda_runtime.h>

// All matrices column-major: element (i,j) of an m-row matrix sits at i + j*m.
#define AT(p, i, j, ld) (p)[(i) + (size_t)(j) * (ld)]

template <typename Real>
__global__ void colMajorMul(const Real *A, const Real *B, Real *C, int m, int n, int k)
{
    extern __shared__ unsigned char raw[];
    const int w = blockDim.x;              // square block, w x w
    Real *pa = reinterpret_cast<Real *>(raw);
    Real *pb = pa + w * w;

    const int ti = threadIdx.x;            // row inside the tile (contiguous in memory)
    const int tj = threadIdx.y;
    const int i = blockIdx.x * w + ti;
    const int j = blockIdx.y * w + tj;

    Real s = Real(0);
    const int tiles = (k - 1) / w + 1;
    for (int t = 0; t < tiles; ++t) {
        const int p = t * w + tj;          // column of A
        const int q = t * w + ti;          // row of B
        pa[ti + tj * w] = (i < m && p < k) ? AT(A, i, p, m) : Real(0);
        pb[ti + tj * w] = (q < k && j < n) ? AT(B, q, j, k) : Real(0);
        __syncthreads();
        for (int e = 0; e < w; ++e)
            s += pa[ti + e * w] * pb[e + tj * w];
        __syncthreads();
    }
    if (i < m && j < n)
        AT(C, i, j, m) = s;
}

// m, n, k >= 1; w is the tile width chosen by the caller (8, 16 or 32)
template <typename Real>
void mul(const Real *A, const Real *B, Real *C, int m, int n, int k, int w)
{
    dim3 block(w, w);
    dim3 grid((m + w - 1) / w, (n + w - 1) / w);
    size_t bytes = 2 * (size_t)w * w * sizeof(Real);
    colMajorMul<Real><<<grid, block, bytes>>>(A, B, C, m, n, k);
}

template void mul<double>(const double *, const double *, double *, int, int, int, int);
template void mul<float>(const float *, const float *, float *, int, int, int, int);
