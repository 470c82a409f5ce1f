// Prodotto matriciale con doppio buffer: una sola barriera per passo
// blocco (16,16); griglia ((n+15)/16, (m+15)/16)
#define D 16

__global__ void prodottoDoppioBuffer(int m, int n, int k,
                                     const float* __restrict__ a,
                                     const float* __restrict__ b,
                                     float* __restrict__ c)
{
    __shared__ float sa[2][D][D];
    __shared__ float sb[2][D][D];

    const int x = threadIdx.x, y = threadIdx.y;
    const int riga = blockIdx.y * D + y;
    const int colonna = blockIdx.x * D + x;

    auto carica = [&](int passo, int buf) {
        int ka = passo * D + x;
        int kb = passo * D + y;
        sa[buf][y][x] = (riga < m && ka < k) ? a[riga * k + ka] : 0.0f;
        sb[buf][y][x] = (kb < k && colonna < n) ? b[kb * n + colonna] : 0.0f;
    };

    const int passi = (k + D - 1) / D;
    float somma = 0.0f;
    int corrente = 0;

    if (passi > 0) carica(0, 0);
    __syncthreads();

    for (int p = 0; p < passi; ++p) {
        if (p + 1 < passi)
            carica(p + 1, corrente ^ 1);
        for (int q = 0; q < D; ++q)
            somma += sa[corrente][y][q] * sb[corrente][q][x];
        __syncthreads();
        corrente ^= 1;
    }

    if (riga < m && colonna < n)
        c[riga * n + colonna] = somma;
}
