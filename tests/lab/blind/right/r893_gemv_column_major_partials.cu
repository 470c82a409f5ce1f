// y = alpha * A * x + beta * y, A berukuran m x n disimpan per kolom (lda >= m).
// Tahap 1: setiap blok menangani 128 baris dan satu irisan kolom; hasil parsial ditulis ke kerja[iris][m].
// Tahap 2: irisan dijumlahkan dengan urutan tetap (hasil deterministik, tanpa atomic).
// kerja harus menampung IRISAN * m float.
#include <cuda_runtime.h>

constexpr int BARIS = 128, KOTAK = 256, IRISAN = 6;

__global__ void __launch_bounds__(BARIS)
tahap1(int m, int n, const float* __restrict__ A, int lda, const float* __restrict__ x, float* __restrict__ kerja)
{
    __shared__ float xs[KOTAK];
    const int i = blockIdx.x * BARIS + threadIdx.x;
    const int lebar = (n + gridDim.y - 1) / gridDim.y;
    const int awal = min(n, (int)blockIdx.y * lebar);
    const int akhir = min(n, awal + lebar);

    float s = 0.f;
    for (int j0 = awal; j0 < akhir; j0 += KOTAK) {
        const int isi = min(KOTAK, akhir - j0);
        __syncthreads();                              // xs lama sudah selesai dipakai
        for (int q = threadIdx.x; q < isi; q += BARIS) xs[q] = x[j0 + q];
        __syncthreads();
        if (i < m) {
            const float* a = A + (size_t)j0 * lda + i;
            for (int q = 0; q < isi; ++q, a += lda) s += *a * xs[q];
        }
    }
    if (i < m) kerja[(size_t)blockIdx.y * m + i] = s;
}

__global__ void tahap2(int m, int irisan, float alpha, const float* kerja, float beta, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    float s = 0.f;
    for (int r = 0; r < irisan; ++r) s += kerja[(size_t)r * m + i];
    y[i] = beta == 0.f ? alpha * s : fmaf(alpha, s, beta * y[i]);
}

void sgemv_kolom(int m, int n, float alpha, const float* A, int lda, const float* x,
                 float beta, float* y, float* kerja, cudaStream_t aliran)
{
    if (m <= 0) return;
    tahap1<<<dim3((m + BARIS - 1) / BARIS, IRISAN), BARIS, 0, aliran>>>(m, n, A, lda, x, kerja);
    tahap2<<<(m + 255) / 256, 256, 0, aliran>>>(m, IRISAN, alpha, kerja, beta, y);
}
