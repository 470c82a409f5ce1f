// Tugas 2 Pemrograman Paralel: perkalian matriks dengan shared memory
// C[m x n] = A[m x k] * B[k x n]
// Pemanggilan:
//   dim3 benang(UKURAN, UKURAN);
//   dim3 blok((n + UKURAN - 1) / UKURAN, (m + UKURAN - 1) / UKURAN);
//   kali<<<blok, benang>>>(A, B, C, m, n, k);
// Semua ukuran boleh berapa saja (1 sampai 10000), tidak harus kelipatan UKURAN.

#define UKURAN 16

__global__ void kali(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float petakA[UKURAN][UKURAN];
    __shared__ float petakB[UKURAN][UKURAN];

    int baris = blockIdx.y * UKURAN + threadIdx.y;
    int kolom = blockIdx.x * UKURAN + threadIdx.x;

    if (baris >= m || kolom >= n)
        return;

    float jumlah = 0.0f;
    for (int awal = 0; awal < k; awal += UKURAN)
    {
        if (awal + threadIdx.x < k)
            petakA[threadIdx.y][threadIdx.x] = A[baris * k + awal + threadIdx.x];
        else
            petakA[threadIdx.y][threadIdx.x] = 0.0f;

        if (awal + threadIdx.y < k)
            petakB[threadIdx.y][threadIdx.x] = B[(awal + threadIdx.y) * n + kolom];
        else
            petakB[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();

        for (int l = 0; l < UKURAN; l++)
            jumlah += petakA[threadIdx.y][l] * petakB[l][threadIdx.x];
        __syncthreads();
    }
    C[baris * n + kolom] = jumlah;
}
