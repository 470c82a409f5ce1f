#include <cuda_fp16.h>

// hasil = W * v     W: baris x kolom (half, baris berurutan), v dan hasil: float
// Delapan lane mengerjakan satu baris, jadi satu warp mengerjakan empat baris.
// Blok 1 dimensi, 256 thread -> 32 baris per blok. grid = (baris + 31) / 32

#define LANE 8
#define SEMUA 0xffffffffu

__global__ void kaliVektor(const __half *W, const float *v, float *hasil, int baris, int kolom)
{
    int sub = threadIdx.x % LANE;
    int b = blockIdx.x * (256 / LANE) + threadIdx.x / LANE;

    float jumlah = 0;
    if (b < baris) {
        const __half *w = W + (size_t)b * kolom;
        for (int k = sub; k < kolom; k += LANE)
            jumlah += __half2float(w[k]) * v[k];
    }

    // semua thread ikut shuffle, juga yang barisnya di luar matriks
    jumlah += __shfl_down_sync(SEMUA, jumlah, 4, LANE);
    jumlah += __shfl_down_sync(SEMUA, jumlah, 2, LANE);
    jumlah += __shfl_down_sync(SEMUA, jumlah, 1, LANE);

    if (sub == 0 && b < baris)
        hasil[b] = jumlah;
}
