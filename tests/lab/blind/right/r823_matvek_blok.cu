// y = A x, A har 'raekker' x 'soejler' elementer (raekkevis)
// Blokken er SX x SY traade: SY raekker ad gangen, SX traade om hver raekke.
// Hoejst 2 millioner raekker og 2 millioner soejler.

#define SX 64
#define SY 4

__global__ void matvek(const double *A, const double *x, double *y,
                       int raekker, int soejler)
{
    __shared__ double del[SY][SX];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int raekke = blockIdx.x * SY + ty;

    double s = 0.0;
    if (raekke < raekker) {
        const double *a = A + (size_t)raekke * soejler;
        for (int j = tx; j < soejler; j += SX)
            s += a[j] * x[j];
    }
    del[ty][tx] = s;
    __syncthreads();

    // alle traade er med i loekken, ogsaa dem uden for matricen
    for (int h = SX / 2; h > 0; h >>= 1) {
        if (tx < h)
            del[ty][tx] += del[ty][tx + h];
        __syncthreads();
    }

    if (tx == 0 && raekke < raekker)
        y[raekke] = del[ty][0];
}
