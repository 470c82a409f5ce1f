// Perkalian matriks tereduksi untuk bilangan bulat.
// Satu warp menghitung satu elemen C: lane membagi indeks k, lalu dijumlah
// dengan shuffle. Tidak memakai shared memory.
//   A: p x q, B: q x r, p dan r genap, q <= 1000000
//   |elemen| <= 1000000, hasil disimpan sebagai long long
#include <cuda_runtime.h>

typedef long long i64;

__device__ i64 jumlahWarp(i64 v)
{
    for (int jarak = 16; jarak; jarak >>= 1)
        v += __shfl_down_sync(0xffffffff, v, jarak);
    return v;
}

__global__ void tereduksi(const int *A, const int *B, i64 *C, int p, int q, int r)
{
    const int lane = threadIdx.x % 32;
    const size_t warp   = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const size_t nwarp  = (size_t)gridDim.x * blockDim.x / 32;

    const size_t kolom = r / 2;
    const size_t total = (size_t)(p / 2) * kolom;

    // satu warp selalu berada di elemen yang sama
    for (size_t e = warp; e < total; e += nwarp) {
        size_t i = e / kolom;
        size_t j = e % kolom;
        const int *a0 = A + 2 * i * q;
        const int *a1 = a0 + q;
        const int *b  = B + 2 * j;

        i64 s = 0;
        for (int k = lane; k < q; k += 32) {
            const int *bk = b + (size_t)k * r;
            s += (i64)(a0[k] + a1[k]) * (bk[0] + bk[1]);
        }
        s = jumlahWarp(s);
        if (lane == 0)
            C[e] = s;
    }
}

// semua pointer di device
void kaliTereduksi(const int *A, const int *B, i64 *C, int p, int q, int r)
{
    const int thread = 128;                       // 4 warp per blok
    size_t total = (size_t)(p / 2) * (r / 2);
    size_t blok = (total + 3) / 4;
    if (blok > 8192) blok = 8192;
    if (blok == 0) return;
    tereduksi<<<(unsigned)blok, thread>>>(A, B, C, p, q, r);
}
