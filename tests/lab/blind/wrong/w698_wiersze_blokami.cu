// Zadanie 5. y = A * x, blok liczy po kolei kilka wierszy.
// Uruchomienie: iloczyn<<<bloki, NW>>>(A, lda, x, y, m, n);
// bloki: od 1 do m (każdy blok bierze wiersze co gridDim.x),
// lda >= n, A zapisana wierszami.

#define NW 64

__global__ void iloczyn(const double *A, int lda, const double *x, double *y, int m, int n)
{
    __shared__ double pom[NW];
    const int id = threadIdx.x;
    double s = 0.0;

    for (int w = blockIdx.x; w < m; w += gridDim.x)
    {
        const double *wiersz = A + (long)w * lda;
        for (int k = id; k < n; k += NW)
            s += wiersz[k] * x[k];

        pom[id] = s;
        __syncthreads();

        for (int polowa = NW / 2; polowa > 0; polowa >>= 1)
        {
            if (id < polowa)
                pom[id] += pom[id + polowa];
            __syncthreads();
        }

        if (id == 0)
            y[w] = pom[0];
        __syncthreads();
    }
}
