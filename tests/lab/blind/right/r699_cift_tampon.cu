// Ödev 3 - çift tamponlu (double buffering) matris çarpımı
//
// C = A * B ; kare matrisler, n x n, satır sıralı.
// n, KARO'nun (32) katı olmalı, 32 <= n <= 16384.
// Çağrı:
//   carpim<<<dim3(n/KARO, n/KARO), dim3(KARO, SATIR)>>>(A, B, C, n);
// Her iş parçacığı aynı sütunda KARO/SATIR = 4 eleman hesaplar.

#define KARO  32
#define SATIR 8
#define ADET  (KARO / SATIR)

__global__ void carpim(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[2][KARO][KARO];
    __shared__ float b[2][KARO][KARO];

    int x = threadIdx.x, y = threadIdx.y;
    int sutun = blockIdx.x * KARO + x;
    int satir = blockIdx.y * KARO + y;

    float top[ADET];
    for (int i = 0; i < ADET; ++i) top[i] = 0.f;

    // ilk karo
    for (int i = 0; i < ADET; ++i) {
        a[0][y + i * SATIR][x] = A[(satir + i * SATIR) * n + x];
        b[0][y + i * SATIR][x] = B[(y + i * SATIR) * n + sutun];
    }
    __syncthreads();

    int simdi = 0;
    int karo_sayisi = n / KARO;
    for (int k = 0; k < karo_sayisi; ++k) {
        int diger = simdi ^ 1;
        if (k + 1 < karo_sayisi) {
            int k0 = (k + 1) * KARO;
            for (int i = 0; i < ADET; ++i) {
                a[diger][y + i * SATIR][x] = A[(satir + i * SATIR) * n + k0 + x];
                b[diger][y + i * SATIR][x] = B[(k0 + y + i * SATIR) * n + sutun];
            }
        }
        for (int l = 0; l < KARO; ++l) {
            float bl = b[simdi][l][x];
            for (int i = 0; i < ADET; ++i)
                top[i] += a[simdi][y + i * SATIR][l] * bl;
        }
        // tek bariyer yeterli: sonraki tur öbür tampona yazar
        __syncthreads();
        simdi = diger;
    }

    for (int i = 0; i < ADET; ++i)
        C[(satir + i * SATIR) * n + sutun] = top[i];
}
