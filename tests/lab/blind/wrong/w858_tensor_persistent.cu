#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// Nhân ma trận bằng tensor core: C (float) = A (half) * B (half)
// A: M x K theo hàng, B: K x N theo hàng, C: M x N theo hàng.
// M, N, K đều chia hết cho 16, kích thước bất kỳ.
// Mỗi warp lần lượt xử lý nhiều ô 16 x 16 của C; lưới có kích thước cố định.

constexpr int O = 16;
constexpr int WARP_MOI_KHOI = 4;

__global__ void nhan_tc(const half *A, const half *B, float *C, int M, int N, int K)
{
    const int warp = blockIdx.x * WARP_MOI_KHOI + (threadIdx.x >> 5);
    const int tong_warp = gridDim.x * WARP_MOI_KHOI;
    const int o_ngang = N / O;
    const int so_o = (M / O) * o_ngang;

    wmma::fragment<wmma::matrix_a, O, O, O, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, O, O, O, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, O, O, O, float> fc;
    wmma::fill_fragment(fc, 0.0f);

    for (int o = warp; o < so_o; o += tong_warp) {
        const size_t hang = (size_t)(o / o_ngang) * O;
        const size_t cot  = (size_t)(o % o_ngang) * O;
        const half *pa = A + hang * K;
        const half *pb = B + cot;
        for (int k = 0; k < K; k += O) {
            wmma::load_matrix_sync(fa, pa, K);
            wmma::load_matrix_sync(fb, pb, N);
            wmma::mma_sync(fc, fa, fb, fc);
            pa += O;
            pb += (size_t)O * N;
        }
        wmma::store_matrix_sync(C + hang * N + cot, fc, N, wmma::mem_row_major);
    }
}

cudaError_t nhan(const half *A, const half *B, float *C, int M, int N, int K)
{
    int sm = 0;
    cudaError_t e = cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, 0);
    if (e != cudaSuccess) return e;
    nhan_tc<<<2 * sm, 32 * WARP_MOI_KHOI>>>(A, B, C, M, N, K);
    return cudaGetLastError();
}
