// Lab 3 - mnozenie macierzy dowolnych rozmiarow, kafelki 16 x 16
#include <cstdio>
#include <cstdlib>
#include <cmath>

const int BOK = 16;

struct Macierz { int w, k; double *e; };   // wiersze, kolumny, elementy

__global__ void mnoz(Macierz A, Macierz B, Macierz C)
{
    __shared__ double ka[BOK][BOK], kb[BOK][BOK];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int wiersz = blockIdx.y * BOK + ty;
    const int kolumna = blockIdx.x * BOK + tx;

    double suma = 0;
    const int ileKafelkow = A.k / BOK;
    for (int kaf = 0; kaf < ileKafelkow; ++kaf) {
        ka[ty][tx] = 0;
        kb[ty][tx] = 0;
        if (wiersz < A.w && kaf * BOK + tx < A.k)
            ka[ty][tx] = A.e[wiersz * A.k + kaf * BOK + tx];
        if (kolumna < B.k && kaf * BOK + ty < B.w)
            kb[ty][tx] = B.e[(kaf * BOK + ty) * B.k + kolumna];
        __syncthreads();
        for (int p = 0; p < BOK; ++p)
            suma += ka[ty][p] * kb[p][tx];
        __syncthreads();
    }

    if (wiersz < C.w && kolumna < C.k)
        C.e[wiersz * C.k + kolumna] = suma;
}

Macierz utworz(int w, int k)
{
    Macierz m = {w, k, nullptr};
    cudaMallocManaged(&m.e, (size_t)w * k * sizeof(double));
    for (int i = 0; i < w * k; i++)
        m.e[i] = rand() % 100 * 0.01;
    return m;
}

int main()
{
    Macierz A = utworz(50, 70), B = utworz(70, 40), C = utworz(50, 40);

    dim3 blok(BOK, BOK);
    dim3 siatka((C.k + BOK - 1) / BOK, (C.w + BOK - 1) / BOK);
    mnoz<<<siatka, blok>>>(A, B, C);
    cudaDeviceSynchronize();

    double maks = 0;
    for (int i = 0; i < C.w; i++)
        for (int j = 0; j < C.k; j++) {
            double s = 0;
            for (int p = 0; p < A.k; p++)
                s += A.e[i * A.k + p] * B.e[p * B.k + j];
            maks = fmax(maks, fabs(s - C.e[i * C.k + j]));
        }
    printf("najwiekszy blad: %g\n", maks);

    cudaFree(A.e);
    cudaFree(B.e);
    cudaFree(C.e);
    return maks > 1e-9;
}
