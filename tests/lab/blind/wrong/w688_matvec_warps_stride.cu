// y = A x for the stiffness matrix, row-major, packed (nrows x ncols).
// One warp handles a row; the warps stride over the rows, so any grid is fine.
//
// launch: matvec_rows<double><<<G, 256>>>(A, x, y, nrows, ncols) with any G >= 1
// (we use G = number of SMs).  nrows, ncols >= 1.

#define FULL 0xffffffffu

template <typename real>
__device__ real warp_allsum(real v)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2)
        v += __shfl_xor_sync(FULL, v, mask);
    return v;
}

template <typename real>
__global__ void matvec_rows(const real *__restrict__ A, const real *__restrict__ x,
                            real *__restrict__ y, int nrows, int ncols)
{
    const int lane   = threadIdx.x % warpSize;
    const int warp   = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int nwarps = (gridDim.x * blockDim.x) / warpSize;

    real sum = 0;
    for (int row = warp; row < nrows; row += nwarps) {
        const real *a = A + (size_t)row * ncols;
        for (int col = lane; col < ncols; col += warpSize)
            sum += a[col] * x[col];
        sum = warp_allsum(sum);
        if (lane == 0)
            y[row] = sum;
    }
}

template __global__ void matvec_rows<double>(const double *, const double *, double *, int, int);
