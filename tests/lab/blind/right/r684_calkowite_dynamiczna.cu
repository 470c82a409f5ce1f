// Iloczyn macierzy calkowitych (macierze sasiedztwa grafow oddzialywan).
// Pamiec wspoldzielona przydzielana dynamicznie; bok kafelka podaje uzytkownik.
#include <cstdio>
#include <cstdlib>

// w = a * b ; a: n x p, b: p x m, wierszami. Blok musi byc kwadratowy.
__global__ void iloczyn(const int *a, const int *b, long long *w, int n, int m, int p)
{
    extern __shared__ int pamiec[];
    const int bok = blockDim.x;
    int *ka = pamiec;                 // bok*bok
    int *kb = pamiec + bok * bok;     // bok*bok

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int wiersz  = blockIdx.y * bok + ty;
    const int kolumna = blockIdx.x * bok + tx;

    long long suma = 0;
    for (int start = 0; start < p; start += bok) {
        ka[ty * bok + tx] = 0;
        kb[ty * bok + tx] = 0;
        if (wiersz < n && start + tx < p)
            ka[ty * bok + tx] = a[wiersz * p + start + tx];
        if (start + ty < p && kolumna < m)
            kb[ty * bok + tx] = b[(start + ty) * m + kolumna];
        __syncthreads();

        for (int q = 0; q < bok; q++)
            suma += (long long)ka[ty * bok + q] * kb[q * bok + tx];
        __syncthreads();
    }

    if (wiersz < n && kolumna < m)
        w[wiersz * m + kolumna] = suma;
}

// uzycie: ./a.out [bok]     bok od 1 do 32
int main(int argc, char **argv)
{
    int bok = (argc > 1) ? atoi(argv[1]) : 12;
    if (bok < 1 || bok > 32) {
        printf("zly bok kafelka\n");
        return 1;
    }
    const int n = 40, m = 55, p = 29;
    int *a, *b;
    long long *w;
    cudaMallocManaged(&a, n * p * sizeof(int));
    cudaMallocManaged(&b, p * m * sizeof(int));
    cudaMallocManaged(&w, n * m * sizeof(long long));
    for (int i = 0; i < n * p; i++) a[i] = (i * 7919) % 200001 - 100000;
    for (int i = 0; i < p * m; i++) b[i] = (i * 104729) % 200001 - 100000;

    dim3 blok(bok, bok);
    dim3 siatka((m + bok - 1) / bok, (n + bok - 1) / bok);
    size_t bajty = 2 * bok * bok * sizeof(int);
    iloczyn<<<siatka, blok, bajty>>>(a, b, w, n, m, p);
    cudaDeviceSynchronize();

    int bledy = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            long long s = 0;
            for (int q = 0; q < p; q++) s += (long long)a[i * p + q] * b[q * m + j];
            if (s != w[i * m + j]) bledy++;
        }
    printf("bok=%d bledy=%d\n", bok, bledy);
    cudaFree(a); cudaFree(b); cudaFree(w);
    return bledy != 0;
}
