// Součin matic, rozměry jsou v konstantní paměti (jako COMMON blok ve Fortranu).
#include <cstdio>
#include <cstdlib>

typedef float real;

struct Rozmery { int m, n, k; };
__constant__ Rozmery R;

// vlákno (x,y) počítá prvek v řádku y a sloupci x
__global__ void soucin(const real *a, const real *b, real *c)
{
    int sloupec = blockDim.x * blockIdx.x + threadIdx.x;
    int radek   = blockDim.y * blockIdx.y + threadIdx.y;
    if (radek >= R.m || sloupec >= R.n) return;

    real s = 0;
    for (int l = 0; l < R.k; l++)
        s += a[radek * R.k + l] * b[l * R.n + sloupec];
    c[radek * R.n + sloupec] = s;
}

int main(int argc, char *argv[])
{
    Rozmery r = { 128, 128, 64 };
    if (argc > 3) {                       // libovolné rozměry od 1 do 10000
        r.m = atoi(argv[1]);
        r.n = atoi(argv[2]);
        r.k = atoi(argv[3]);
    }
    const int mk = r.m * r.k, kn = r.k * r.n, mn = r.m * r.n;

    real *a = new real[mk], *b = new real[kn], *c = new real[mn];
    for (int i = 0; i < mk; i++) a[i] = i % 5;
    for (int i = 0; i < kn; i++) b[i] = i % 3;

    real *ga, *gb, *gc;
    cudaMalloc(&ga, mk * sizeof(real));
    cudaMalloc(&gb, kn * sizeof(real));
    cudaMalloc(&gc, mn * sizeof(real));
    cudaMemcpy(ga, a, mk * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(gb, b, kn * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(R, &r, sizeof(r));

    dim3 vlakna(16, 16);
    dim3 mrizka((r.m + vlakna.x - 1) / vlakna.x, (r.n + vlakna.y - 1) / vlakna.y);
    soucin<<<mrizka, vlakna>>>(ga, gb, gc);
    cudaMemcpy(c, gc, mn * sizeof(real), cudaMemcpyDeviceToHost);

    int chyby = 0;
    for (int i = 0; i < r.m; i++)
        for (int j = 0; j < r.n; j++) {
            real s = 0;
            for (int l = 0; l < r.k; l++) s += a[i * r.k + l] * b[l * r.n + j];
            if (s != c[i * r.n + j]) chyby++;
        }
    printf("chyb: %d\n", chyby);

    cudaFree(ga); cudaFree(gb); cudaFree(gc);
    delete[] a; delete[] b; delete[] c;
    return 0;
}
