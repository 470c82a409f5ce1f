// Bloc lineaire de 256 threads, replie en 16 x 16
// Appel : produit1D<<<nbTuiles, 256>>>(...) avec nbTuiles = ceil(n/16)*ceil(m/16)
enum { COTE = 16, NTHREADS = COTE * COTE };

__global__ void produit1D(int m, int p, int n, float *c, const float *a, const float *b)
{
    __shared__ float memo[2 * NTHREADS];
    float *ma = memo;
    float *mb = memo + NTHREADS;

    int tuilesParLigne = (n + COTE - 1) / COTE;
    int by = blockIdx.x / tuilesParLigne;
    int bx = blockIdx.x % tuilesParLigne;
    int ty = threadIdx.x / COTE;
    int tx = threadIdx.x % COTE;
    int i = by * COTE + ty;
    int j = bx * COTE + tx;

    float cumul = 0.0f;
    int reste = p;
    const float *pa = a + i * p + tx;
    const float *pb = b + ty * n + j;

    while (reste > 0) {
        ma[threadIdx.x] = (i < m && tx < reste) ? *pa : 0.0f;
        mb[threadIdx.x] = (j < n && ty < reste) ? *pb : 0.0f;
        __syncthreads();
        for (int k = 0; k < COTE; k++)
            cumul += ma[ty * COTE + k] * mb[k * COTE + tx];
        __syncthreads();
        pa += COTE;
        pb += COTE * n;
        reste -= COTE;
    }

    if (i < m && j < n)
        c[i * n + j] = cumul;
}
