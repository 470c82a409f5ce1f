// Matris carpimi: her is parcacigi 2x2 sonuc hesaplar (yazmaclarda).
// Blok 8x8, sonuc karosu 16x16, ic adim 8. Her boyut olur.
// Izgara: ((sutun + 15) / 16, (satir + 15) / 16)

#define KARO 16
#define ADIM 8

__global__ void carp(const float *A, const float *B, float *C, int satir, int ic, int sutun)
{
    __shared__ float ka[KARO][ADIM];
    __shared__ float kb[ADIM][KARO];

    int x = threadIdx.x, y = threadIdx.y;
    int s0 = blockIdx.y * KARO + y, s1 = s0 + ADIM;
    int t0 = blockIdx.x * KARO + x, t1 = t0 + ADIM;
    float r00 = 0, r01 = 0, r10 = 0, r11 = 0;

    for (int k0 = 0; k0 < ic; k0 += ADIM) {
        int u = k0 + x;
        int v = k0 + y;
        if (u < ic) {
            if (s0 < satir) ka[y][x]        = A[s0 * ic + u];
            if (s1 < satir) ka[y + ADIM][x] = A[s1 * ic + u];
        }
        if (v < ic) {
            if (t0 < sutun) kb[y][x]        = B[v * sutun + t0];
            if (t1 < sutun) kb[y][x + ADIM] = B[v * sutun + t1];
        }
        __syncthreads();

        for (int k = 0; k < ADIM; k++) {
            float a0 = ka[y][k], a1 = ka[y + ADIM][k];
            float b0 = kb[k][x], b1 = kb[k][x + ADIM];
            r00 += a0 * b0;
            r01 += a0 * b1;
            r10 += a1 * b0;
            r11 += a1 * b1;
        }
        __syncthreads();
    }

    if (s0 < satir && t0 < sutun) C[s0 * sutun + t0] = r00;
    if (s0 < satir && t1 < sutun) C[s0 * sutun + t1] = r01;
    if (s1 < satir && t0 < sutun) C[s1 * sutun + t0] = r10;
    if (s1 < satir && t1 < sutun) C[s1 * sutun + t1] = r11;
}
