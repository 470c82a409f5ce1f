// C = A * B^T    (örtüşme matrisi: satırlar dalga fonksiyonları)
//
// A : m x k, B : n x k, C : m x n, hepsi satır öncelikli.
// Çift tampon: bir sonraki karo yüklenirken eldeki karo çarpılır,
// böylece her adımda tek bir __syncthreads yeter.
//
// Çağrı:  abt<double><<<dim3((n+15)/16, (m+15)/16), dim3(16,16)>>>(A, B, C, m, n, k);
// (m, n, k >= 1; float da olur)

#define KARO 16

template <class R>
__global__ void abt(const R *A, const R *B, R *C, int m, int n, int k)
{
    __shared__ R sa[2][KARO][KARO + 1];
    __shared__ R sb[2][KARO][KARO + 1];

    const int x = threadIdx.x, y = threadIdx.y;
    const int satir = blockIdx.y * KARO + y;
    const int sutun = blockIdx.x * KARO + x;
    const int bsatir = blockIdx.x * KARO + y;    // B'nin yüklenecek satırı

    const int adim = (k + KARO - 1) / KARO;
    R top = 0;

    // ilk karo
    sa[0][y][x] = (satir < m && x < k) ? A[(size_t)satir * k + x] : R(0);
    sb[0][y][x] = (bsatir < n && x < k) ? B[(size_t)bsatir * k + x] : R(0);
    __syncthreads();

    for (int t = 0; t < adim; t++) {
        const int su = t & 1;
        if (t + 1 < adim) {
            const int kk = (t + 1) * KARO + x;
            sa[su ^ 1][y][x] = (satir < m && kk < k) ? A[(size_t)satir * k + kk] : R(0);
            sb[su ^ 1][y][x] = (bsatir < n && kk < k) ? B[(size_t)bsatir * k + kk] : R(0);
        }
        for (int l = 0; l < KARO; l++)
            top += sa[su][y][l] * sb[su][x][l];
        __syncthreads();
    }

    if (satir < m && sutun < n)
        C[(size_t)satir * n + sutun] = top;
}
