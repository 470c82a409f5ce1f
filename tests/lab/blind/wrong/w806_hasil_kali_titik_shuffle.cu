// Hasil kali titik dua vektor int; jumlahnya long long.
// Jumlah elemen n: 1 sampai 2^31 - 1, nilai mutlak tiap elemen paling besar 30000.
// Tiap blok 256 utas (8 warp).
#include <cuda_runtime.h>

using i64 = long long;
constexpr int UTAS = 256;
constexpr int JUMLAH_WARP = UTAS / 32;
constexpr unsigned SEMUA = 0xffffffffu;

__device__ __forceinline__ i64 jumlahWarp(i64 v)
{
    for (int jarak = 16; jarak > 0; jarak /= 2)
        v += __shfl_down_sync(SEMUA, v, jarak);
    return v;
}

__global__ void titik(const int* __restrict__ a, const int* __restrict__ b, i64 n, unsigned long long* hasil)
{
    __shared__ i64 perWarp[JUMLAH_WARP];
    const int lajur = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    i64 v = 0;
    const i64 langkah = (i64)gridDim.x * UTAS;
    for (i64 i = (i64)blockIdx.x * UTAS + threadIdx.x; i < n; i += langkah)
        v += (i64)a[i] * b[i];

    v = jumlahWarp(v);
    if (lajur == 0) perWarp[warp] = v;
    __syncthreads();

    if (threadIdx.x < JUMLAH_WARP) {
        v = lajur < JUMLAH_WARP ? perWarp[lajur] : 0;
        v = jumlahWarp(v);
        if (lajur == 0) atomicAdd(hasil, (unsigned long long)v);
    }
}

// a dan b menunjuk ke memori GPU
i64 hitungTitik(const int* a, const int* b, i64 n)
{
    unsigned long long *d_hasil, h = 0;
    cudaMalloc(&d_hasil, sizeof h);
    cudaMemset(d_hasil, 0, sizeof h);

    i64 blok = (n + UTAS - 1) / UTAS;
    if (blok > 2048) blok = 2048;
    titik<<<(unsigned)blok, UTAS>>>(a, b, n, d_hasil);

    cudaMemcpy(&h, d_hasil, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d_hasil);
    return (i64)h;
}
