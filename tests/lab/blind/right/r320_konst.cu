// Domácí úkol 5: redukovaný součin, rozměry v konstantní paměti
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct Rozmery { int m, k, n; };
__constant__ Rozmery roz;

#define CHYBA(x) do { cudaError_t c_ = (x); if (c_ != cudaSuccess) { \
    fprintf(stderr, "chyba na radku %d: %s\n", __LINE__, cudaGetErrorString(c_)); exit(1); } } while (0)

__device__ double prvek(const double *a, const double *b, int i, int j)
{
    double s = 0.0;
    for (int p = 0; p < roz.k; p++)
        s += a[i * roz.k + p] * b[p * roz.n + j];
    return s;
}

__global__ void redukovany(const double *a, const double *b, double *r)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int rm = roz.m / 2, rn = roz.n / 2;
    if (i < rm && j < rn) {
        double s = prvek(a, b, 2 * i, 2 * j)
                 + prvek(a, b, 2 * i, 2 * j + 1)
                 + prvek(a, b, 2 * i + 1, 2 * j)
                 + prvek(a, b, 2 * i + 1, 2 * j + 1);
        r[i * rn + j] = s;
    }
}

int main()
{
    Rozmery h = { 94, 51, 150 };     // m a n musí být sudá
    int rm = h.m / 2, rn = h.n / 2;
    double *a, *b, *r;
    CHYBA(cudaMallocManaged(&a, sizeof(double) * h.m * h.k));
    CHYBA(cudaMallocManaged(&b, sizeof(double) * h.k * h.n));
    CHYBA(cudaMallocManaged(&r, sizeof(double) * rm * rn));
    for (int i = 0; i < h.m * h.k; i++) a[i] = sin(i * 0.3);
    for (int i = 0; i < h.k * h.n; i++) b[i] = cos(i * 0.7);

    CHYBA(cudaMemcpyToSymbol(roz, &h, sizeof(Rozmery)));

    dim3 blok(32, 8);
    dim3 mrizka((rn + blok.x - 1) / blok.x, (rm + blok.y - 1) / blok.y);
    redukovany<<<mrizka, blok>>>(a, b, r);
    CHYBA(cudaGetLastError());
    CHYBA(cudaDeviceSynchronize());

    double nej = 0;
    for (int i = 0; i < rm; i++)
        for (int j = 0; j < rn; j++) {
            double s = 0;
            for (int p = 0; p < h.k; p++)
                s += (a[2 * i * h.k + p] + a[(2 * i + 1) * h.k + p]) *
                     (b[p * h.n + 2 * j] + b[p * h.n + 2 * j + 1]);
            nej = fmax(nej, fabs(s - r[i * rn + j]));
        }
    printf("nejvetsi rozdil %g\n", nej);
    cudaFree(a); cudaFree(b); cudaFree(r);
    return nej > 1e-9;
}
