// Coarse-grained product for the multigrid code:
//
//   C(i,j) = sum_l ( A(2i,l) + A(2i+1,l) ) * ( B(l,2j) + B(l,2j+1) )     i,j,l from 0
//
// row major; A is (2*mc) x k, B is k x (2*nc), C is mc x nc, all packed.
// mc, nc, k arbitrary.
//
// launch: coarse<<<dim3((nc+15)/16, (mc+15)/16), dim3(16,16)>>>(A, B, C, mc, nc, k)

#define T  16
#define T2 32

__global__ void coarse(const double *A, const double *B, double *C, int mc, int nc, int k)
{
    __shared__ double sA[T2][T];      // 32 fine rows
    __shared__ double sB[T][T2];      // 32 fine columns

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int r0 = blockIdx.y * T2;   // first fine row of this block
    const int c0 = blockIdx.x * T2;   // first fine column

    double sum = 0.0;

    for (int l0 = 0; l0 < k; l0 += T) {
        // neighbouring threads read neighbouring elements, two elements per thread
        int l = l0 + tx;
        sA[ty][tx]     = (l < k && r0 + ty < 2 * mc)     ? A[(size_t)(r0 + ty) * k + l]     : 0.0;
        sA[ty + T][tx] = (l < k && r0 + ty + T < 2 * mc) ? A[(size_t)(r0 + ty + T) * k + l] : 0.0;
        l = l0 + ty;
        sB[ty][tx]     = (l < k && c0 + tx < 2 * nc)     ? B[(size_t)l * 2 * nc + c0 + tx]     : 0.0;
        sB[ty][tx + T] = (l < k && c0 + tx + T < 2 * nc) ? B[(size_t)l * 2 * nc + c0 + tx + T] : 0.0;
        __syncthreads();

        for (int q = 0; q < T; ++q)
            sum += (sA[2 * ty][q] + sA[2 * ty + 1][q]) * (sB[q][tx] + sB[q][tx + T]);
        __syncthreads();
    }

    const int i = blockIdx.y * T + ty;
    const int j = blockIdx.x * T + tx;
    if (i < mc && j < nc)
        C[(size_t)i * nc + j] = sum;
}
