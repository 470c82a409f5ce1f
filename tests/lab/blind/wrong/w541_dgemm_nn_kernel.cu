// Column-major DGEMM (no transposes), Fortran users welcome.
//   C(m,n) = alpha * A(m,k) * B(k,n) + beta * C(m,n),  leading dims lda, ldb, ldc
// launch: dim3 block(16,16);  dim3 grid((m+15)/16, (n+15)/16);
// All sizes are supported, tiles are padded with zeros.
#include <cuda_runtime.h>

template <typename Real>
class ColMajor {
public:
    __device__ ColMajor(Real* p, int rows, int cols, int ld)
        : p_(p), rows_(rows), cols_(cols), ld_(ld) {}

    __device__ bool inside(int i, int j) const { return i < rows_ && j < cols_; }
    __device__ Real& at(int i, int j) const { return p_[i + (size_t)j * ld_]; }
    __device__ Real getOrZero(int i, int j) const { return inside(i, j) ? at(i, j) : Real(0); }

private:
    Real* p_;
    int rows_, cols_, ld_;
};

constexpr int NB = 16;

__global__ void dgemm_nn(int m, int n, int k, double alpha,
                         const double* A, int lda,
                         const double* B, int ldb,
                         double beta, double* C, int ldc)
{
    __shared__ double tileA[NB][NB + 1];
    __shared__ double tileB[NB][NB + 1];

    ColMajor<const double> a(A, m, k, lda);
    ColMajor<const double> b(B, k, n, ldb);
    ColMajor<double> c(C, m, n, ldc);

    const int li = threadIdx.x;            // row inside the tile, contiguous
    const int lj = threadIdx.y;            // column inside the tile
    const int i = blockIdx.x * NB + li;
    const int j = blockIdx.y * NB + lj;

    double dot = 0.0;
    const int steps = (k + NB - 1) / NB;
    for (int s = 0; s < steps; ++s) {
        tileA[li][lj] = a.getOrZero(i, s * NB + lj);
        tileB[li][lj] = b.getOrZero(s * NB + li, j);
        __syncthreads();                   // tiles complete for the whole block

        for (int p = 0; p < NB; ++p)
            dot += tileA[li][p] * tileB[p][lj];
    }

    if (c.inside(i, j)) {
        if (beta == 0.0)
            c.at(i, j) = alpha * dot;      // BLAS: C need not be set on entry
        else
            c.at(i, j) = alpha * dot + beta * c.at(i, j);
    }
}
