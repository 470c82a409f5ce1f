// Mnozenie zredukowane: blok 32x32 liczy kafel P w pamieci wspoldzielonej,
// potem watki z threadIdx < 16 sumuja kwadraty 2x2.  m, n parzyste.
// siatka: (ceil(n/32), ceil(m/32))
#define S 32

__global__ void zredukowane(const float *A, const float *B, float *C,
                            int m, int n, int k)
{
    __shared__ float a[S][S];
    __shared__ float b[S][S];
    __shared__ float p[S][S + 1];

    int x = threadIdx.x, y = threadIdx.y;
    int wiersz = blockIdx.y * S + y;
    int kol = blockIdx.x * S + x;
    float suma = 0.0f;

    for (int t = 0; t < (k + S - 1) / S; t++) {
        a[y][x] = (wiersz < m && t * S + x < k) ? A[wiersz * k + t * S + x] : 0.0f;
        b[y][x] = (t * S + y < k && kol < n) ? B[(t * S + y) * n + kol] : 0.0f;
        __syncthreads();
        for (int i = 0; i < S; i++)
            suma += a[y][i] * b[i][x];
        __syncthreads();
    }
    p[y][x] = suma;
    __syncthreads();

    if (x < S / 2 && y < S / 2) {
        int i = blockIdx.y * (S / 2) + y;
        int j = blockIdx.x * (S / 2) + x;
        if (i < m / 2 && j < n / 2)
            C[i * (n / 2) + j] = p[2 * y][2 * x] + p[2 * y][2 * x + 1]
                               + p[2 * y + 1][2 * x] + p[2 * y + 1][2 * x + 1];
    }
}
