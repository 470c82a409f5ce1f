// Perkalian titik dua vektor bilangan bulat, hasil 64 bit.
//
// Cara menjalankan (G blok, 1 <= G <= 1024, n boleh berapa saja >= 0):
//   jumlahBagian<<<G, 256>>>(a, b, n, bagian);     // bagian: G buah long long
//   jumlahAkhir<<<1, 256>>>(bagian, G, hasil);
//
// blockDim.x selalu kelipatan 32 dan paling banyak 1024.

#define SEMUA 0xffffffffu

__device__ long long jumlahBlok(long long v)
{
    __shared__ long long perWarp[32];
    const int jalur = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int banyakWarp = blockDim.x / 32;

    for (int s = 16; s > 0; s /= 2)
        v += __shfl_down_sync(SEMUA, v, s);
    if (jalur == 0)
        perWarp[warp] = v;
    __syncthreads();

    // warp pertama menjumlahkan hasil semua warp
    if (warp == 0) {
        v = (jalur < banyakWarp) ? perWarp[jalur] : 0;
        for (int s = 16; s > 0; s /= 2)
            v += __shfl_down_sync(SEMUA, v, s);
    }
    return v;   // benar hanya di thread 0
}

__global__ void jumlahBagian(const int *a, const int *b, size_t n, long long *bagian)
{
    long long v = 0;
    const size_t langkah = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += langkah)
        v += (long long)a[i] * b[i];
    v = jumlahBlok(v);
    if (threadIdx.x == 0)
        bagian[blockIdx.x] = v;
}

__global__ void jumlahAkhir(const long long *bagian, int G, long long *hasil)
{
    long long v = 0;
    for (int i = threadIdx.x; i < G; i += blockDim.x)
        v += bagian[i];
    v = jumlahBlok(v);
    if (threadIdx.x == 0)
        *hasil = v;
}
