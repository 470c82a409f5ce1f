// Perkalian matriks C = A x B, satu warp untuk setiap elemen C.
// A: baris x dalam, B: dalam x kolom, semuanya row-major, ukuran bebas.
//
// Jalankan dengan blok satu dimensi yang jumlah utasnya kelipatan 32,
// misalnya  kali_warp<<<1024, 256>>>(A, B, C, baris, dalam, kolom);
// jumlah blok bebas karena memakai langkah sebesar grid.

#define UKURAN_WARP 32
#define SEMUA_UTAS  0xffffffffu

__device__ float jumlah_warp(float nilai)
{
    // setelah lima langkah, utas 0 memegang jumlah seluruh warp
    for (int jarak = UKURAN_WARP / 2; jarak > 0; jarak /= 2)
        nilai += __shfl_down_sync(SEMUA_UTAS, nilai, jarak);
    return nilai;
}

__global__ void kali_warp(const float *A, const float *B, float *C,
                          int baris, int dalam, int kolom)
{
    int jalur = threadIdx.x % UKURAN_WARP;

    // nomor warp di seluruh grid
    size_t warp_per_blok = blockDim.x / UKURAN_WARP;
    size_t warp_ini = blockIdx.x * warp_per_blok + threadIdx.x / UKURAN_WARP;
    size_t semua_warp = gridDim.x * warp_per_blok;

    size_t banyak = (size_t)baris * kolom;

    // syarat ini sama untuk semua utas dalam satu warp
    for (size_t e = warp_ini; e < banyak; e += semua_warp)
    {
        int i = (int)(e / kolom);
        int j = (int)(e % kolom);

        float bagian = 0.0f;
        for (int p = jalur; p < dalam; p += UKURAN_WARP)
            bagian += A[(size_t)i * dalam + p] * B[(size_t)p * kolom + j];

        float total = jumlah_warp(bagian);
        if (jalur == 0)
            C[e] = total;
    }
}
