// Mnozenie wsadowe: dla kazdego b < ile  C[b] = A[b] * B[b]
// blok (16,16), siatka (ceil(n/16), ceil(m/16), ile)
#define KAFEL 16

__global__ void mnozenieWsadowe(const float *A, const float *B, float *C,
                                int m, int n, int k, int ile)
{
    __shared__ float ka[KAFEL][KAFEL];
    __shared__ float kb[KAFEL][KAFEL];

    int nr = blockIdx.z;
    if (nr >= ile) return;          // caly blok konczy razem

    const float *a = A + (size_t)nr * m * k;
    const float *b = B + (size_t)nr * k * n;
    float *c = C + (size_t)nr * m * n;

    int wiersz = blockIdx.y * KAFEL + threadIdx.y;
    int kolumna = blockIdx.x * KAFEL + threadIdx.x;
    float suma = 0;

    for (int t = 0; t * KAFEL < k; t++) {
        int ak = t * KAFEL + threadIdx.x;
        int bk = t * KAFEL + threadIdx.y;
        float va = 0, vb = 0;
        if (wiersz < m && ak < k) va = a[wiersz * k + ak];
        if (bk < k && kolumna < n) vb = b[bk * n + kolumna];
        ka[threadIdx.y][threadIdx.x] = va;
        kb[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();
        for (int i = 0; i < KAFEL; i++)
            suma += ka[threadIdx.y][i] * kb[i][threadIdx.x];
        __syncthreads();
    }

    if (wiersz < m && kolumna < n)
        c[wiersz * n + kolumna] = suma;
}
