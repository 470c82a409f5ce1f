// Ein Warp pro Element von C; die Lanes teilen sich die Summe ueber k.
// Blockgroesse 256 (8 Warps), Gitter: aufgerundet(m*n / 8)
#define WARP 32
#define VOLL 0xffffffffu

__device__ double warpSumme(double w)
{
    for (int abstand = WARP / 2; abstand > 0; abstand >>= 1)
        w += __shfl_down_sync(VOLL, w, abstand);
    return w;
}

__global__ void warpMatMul(const double *__restrict__ a, const double *__restrict__ b,
                           double *__restrict__ c, int m, int k, int n)
{
    const int warpNr = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    const int lane = threadIdx.x % WARP;
    if (warpNr >= m * n)      // gilt fuer den ganzen Warp
        return;

    const int i = warpNr / n;
    const int j = warpNr % n;

    double teil = 0.0;
    for (int q = lane; q < k; q += WARP)
        teil += a[i * k + q] * b[q * n + j];

    teil = warpSumme(teil);
    if (lane == 0)
        c[warpNr] = teil;
}

void warpMatMulStart(const double *a, const double *b, double *c, int m, int k, int n)
{
    const int warpsProBlock = 8;
    int bloecke = (m * n + warpsProBlock - 1) / warpsProBlock;
    warpMatMul<<<bloecke, warpsProBlock * WARP>>>(a, b, c, m, k, n);
}
