#include <cuda_bf16.h>
#include <mma.h>

// C(float) = A(bf16) x B(bf16), semua baris-demi-baris.
// M dan N kelipatan 32, K kelipatan 32. Grid (N/32, M/32), 128 thread per blok:
// empat warp, masing-masing satu petak 16 x 16.

namespace wm = nvcuda::wmma;
using bf = __nv_bfloat16;

template <int TINGGI, int LEBAR, int LOMPAT>
__device__ void salin(bf (*tujuan)[LOMPAT], const bf *asal, int ld)
{
    for (int e = threadIdx.x * 8; e < TINGGI * LEBAR; e += blockDim.x * 8) {
        const int r = e / LEBAR, c = e % LEBAR;
        *reinterpret_cast<uint4 *>(&tujuan[r][c]) =
            *reinterpret_cast<const uint4 *>(asal + (size_t)r * ld + c);
    }
}

__global__ void kali_bf16(const bf *A, const bf *B, float *C, int N, int K)
{
    __shared__ __align__(32) bf sa[32][32 + 16];
    __shared__ __align__(32) bf sb[32][32 + 16];

    const int warp = threadIdx.x / 32;
    const int wr = (warp / 2) * 16, wc = (warp % 2) * 16;
    A += (size_t)blockIdx.y * 32 * K;
    B += blockIdx.x * 32;
    C += (size_t)blockIdx.y * 32 * N + blockIdx.x * 32;

    wm::fragment<wm::accumulator, 16, 16, 16, float> jumlah;
    wm::fill_fragment(jumlah, 0.f);

    for (int k = 0; k < K; k += 32) {
        salin<32, 32>(sa, A + k, K);
        salin<32, 32>(sb, B + (size_t)k * N, N);
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            wm::fragment<wm::matrix_a, 16, 16, 16, bf, wm::row_major> fa;
            wm::fragment<wm::matrix_b, 16, 16, 16, bf, wm::row_major> fb;
            wm::load_matrix_sync(fa, &sa[wr][kk], 48);
            wm::load_matrix_sync(fb, &sb[kk][wc], 48);
            wm::mma_sync(jumlah, fa, fb, jumlah);
        }
    }
    wm::store_matrix_sync(C + (size_t)wr * N + wc, jumlah, N, wm::mem_row_major);
}
