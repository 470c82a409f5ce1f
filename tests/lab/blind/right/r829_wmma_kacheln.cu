// C = A * B auf den Tensorkernen: A und B in half, C in float, zeilenweise.
// Ein Warp nimmt sich eine 16x16-Kachel von C und springt dann um die Anzahl
// aller Warps weiter, bis alle Kacheln vergeben sind.
//
// Voraussetzung: M, N und K sind Vielfache von 16 und höchstens 32768.
// Zeiger kommen aus cudaMalloc.
#include <algorithm>
#include <cassert>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

constexpr int W = 16;
constexpr int WARPS = 4;

__global__ void __launch_bounds__(32 * WARPS)
kachelProdukt(const __half* __restrict__ A, const __half* __restrict__ B,
              float* __restrict__ C, int M, int N, int K)
{
    const int spalten = N / W;
    const int kacheln = (M / W) * spalten;
    const int schritt = gridDim.x * WARPS;

    for (int k = blockIdx.x * WARPS + threadIdx.x / 32; k < kacheln; k += schritt) {
        const int zeile = k / spalten * W;
        const int spalte = k % spalten * W;

        wmma::fragment<wmma::matrix_a, W, W, W, __half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, W, W, W, __half, wmma::row_major> fb;
        wmma::fragment<wmma::accumulator, W, W, W, float> fc;
        wmma::fill_fragment(fc, 0.0f);

        const __half* a = A + static_cast<size_t>(zeile) * K;
        const __half* b = B + spalte;
        for (int q = 0; q < K; q += W) {
            wmma::load_matrix_sync(fa, a, K);
            wmma::load_matrix_sync(fb, b, N);
            wmma::mma_sync(fc, fa, fb, fc);
            a += W;
            b += static_cast<size_t>(W) * N;
        }

        wmma::store_matrix_sync(C + static_cast<size_t>(zeile) * N + spalte, fc, N,
                                wmma::mem_row_major);
    }
}

cudaError_t produkt(const __half* dA, const __half* dB, float* dC,
                    int M, int N, int K, cudaStream_t strom)
{
    assert(M > 0 && N > 0 && K > 0);
    assert(M % W == 0 && N % W == 0 && K % W == 0);
    const int kacheln = (M / W) * (N / W);
    const int bloecke = std::min((kacheln + WARPS - 1) / WARPS, 4096);
    kachelProdukt<<<bloecke, 32 * WARPS, 0, strom>>>(dA, dB, dC, M, N, K);
    return cudaGetLastError();
}
