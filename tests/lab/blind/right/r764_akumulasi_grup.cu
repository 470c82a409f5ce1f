// C += A * B  (bilangan float, baris demi baris)
//
// Memakai cooperative groups pada tingkat blok. Blok satu dimensi berisi 256 utas
// yang diatur sendiri menjadi 16 x 16. Grid juga satu dimensi:
//   jumlah blok = ceil(m / 16) * ceil(n / 16)
// Nilai lama C tetap dipakai, jadi C harus sudah berisi data.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int UBIN = 16;

struct Ukuran {
    int m, n, k;
};

__device__ float ambil(const float *mat, int baris, int kolom, int jumlahBaris, int jumlahKolom)
{
    if (baris < jumlahBaris && kolom < jumlahKolom)
        return mat[(size_t)baris * jumlahKolom + kolom];
    return 0.0f;
}

__global__ void akumulasi(const float *A, const float *B, float *C, Ukuran u)
{
    __shared__ float ubinA[UBIN * UBIN];
    __shared__ float ubinB[UBIN * UBIN];

    cg::thread_block blok = cg::this_thread_block();
    const int nomor = blok.thread_rank();
    const int y = nomor / UBIN;
    const int x = nomor % UBIN;

    const int ubinPerBaris = (u.n + UBIN - 1) / UBIN;
    const int baris = (blockIdx.x / ubinPerBaris) * UBIN + y;
    const int kolom = (blockIdx.x % ubinPerBaris) * UBIN + x;

    float hasil = 0.0f;
    for (int awal = 0; awal < u.k; awal += UBIN) {
        ubinA[nomor] = ambil(A, baris, awal + x, u.m, u.k);
        ubinB[nomor] = ambil(B, awal + y, kolom, u.k, u.n);
        blok.sync();

        for (int p = 0; p < UBIN; ++p)
            hasil += ubinA[y * UBIN + p] * ubinB[p * UBIN + x];
        blok.sync();
    }

    if (baris < u.m && kolom < u.n)
        C[(size_t)baris * u.n + kolom] += hasil;
}
