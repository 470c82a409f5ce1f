// C = A^T * B   (double)
// A: k x m (satir oncelikli), B: k x n, C: m x n
//
// Baslatma:
//   dim3 blok(16, 16);
//   dim3 izgara((n + 15) / 16, (m + 15) / 16);
//   devrikCarp<<<izgara, blok>>>(A, B, C, m, n, k);

#define BOY 16

__global__ void devrikCarp(const double *A, const double *B, double *C,
                           int m, int n, int k)
{
    // +1: bank cakismasini onlemek icin
    __shared__ double As[BOY][BOY + 1];
    __shared__ double Bs[BOY][BOY + 1];

    int sutun = blockIdx.x * BOY + threadIdx.x;   // C'nin sutunu
    int satir = blockIdx.y * BOY + threadIdx.y;   // C'nin satiri
    int aSutun = blockIdx.y * BOY + threadIdx.x;  // A'nin okunan sutunu (birlesik erisim)

    double toplam = 0.0;
    int adim = (k + BOY - 1) / BOY;
    for (int s = 0; s < adim; s++)
    {
        int kk = s * BOY + threadIdx.y;

        if (kk < k && aSutun < m)
            As[threadIdx.y][threadIdx.x] = A[kk * m + aSutun];
        else
            As[threadIdx.y][threadIdx.x] = 0.0;

        if (kk < k && sutun < n)
            Bs[threadIdx.y][threadIdx.x] = B[kk * n + sutun];
        else
            Bs[threadIdx.y][threadIdx.x] = 0.0;

        __syncthreads();

        for (int i = 0; i < BOY; i++)
            toplam += As[i][threadIdx.y] * Bs[i][threadIdx.x];

        __syncthreads();
    }

    if (satir < m && sutun < n)
        C[satir * n + sutun] = toplam;
}
