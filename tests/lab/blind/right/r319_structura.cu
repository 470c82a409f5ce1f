// Laborator 6 - înmulțirea matricelor, matrice ca structură
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define DIM_BLOC 16

typedef struct {
    int latime;
    int inaltime;
    int pas;           // distanța dintre două linii
    float *elem;
} Matrice;

__device__ float citeste(const Matrice m, int linie, int coloana)
{
    if (linie < m.inaltime && coloana < m.latime)
        return m.elem[linie * m.pas + coloana];
    return 0.0f;
}

__device__ void scrie(Matrice m, int linie, int coloana, float v)
{
    if (linie < m.inaltime && coloana < m.latime)
        m.elem[linie * m.pas + coloana] = v;
}

__global__ void inmulteste(Matrice A, Matrice B, Matrice C)
{
    __shared__ float As[DIM_BLOC][DIM_BLOC];
    __shared__ float Bs[DIM_BLOC][DIM_BLOC];

    int l = threadIdx.y, c = threadIdx.x;
    int linie = blockIdx.y * DIM_BLOC + l;
    int coloana = blockIdx.x * DIM_BLOC + c;
    float val = 0.0f;

    int nr = (A.latime + DIM_BLOC - 1) / DIM_BLOC;
    for (int m = 0; m < nr; ++m) {
        As[l][c] = citeste(A, linie, m * DIM_BLOC + c);
        Bs[l][c] = citeste(B, m * DIM_BLOC + l, coloana);
        __syncthreads();
        for (int e = 0; e < DIM_BLOC; ++e)
            val += As[l][e] * Bs[e][c];
        __syncthreads();
    }
    scrie(C, linie, coloana, val);
}

static Matrice creeaza(int inaltime, int latime, int pas)
{
    Matrice m;
    m.inaltime = inaltime;
    m.latime = latime;
    m.pas = pas;
    if (cudaMallocManaged(&m.elem, (size_t)inaltime * pas * sizeof(float)) != cudaSuccess) {
        fprintf(stderr, "memorie insuficienta\n");
        exit(1);
    }
    for (int i = 0; i < inaltime * pas; ++i)
        m.elem[i] = (float)(rand() % 11 - 5);
    return m;
}

int main()
{
    Matrice A = creeaza(85, 140, 144);
    Matrice B = creeaza(140, 101, 112);
    Matrice C = creeaza(85, 101, 128);

    dim3 bloc(DIM_BLOC, DIM_BLOC);
    dim3 grila((C.latime + DIM_BLOC - 1) / DIM_BLOC, (C.inaltime + DIM_BLOC - 1) / DIM_BLOC);
    inmulteste<<<grila, bloc>>>(A, B, C);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }

    int gresite = 0;
    for (int i = 0; i < C.inaltime; ++i)
        for (int j = 0; j < C.latime; ++j) {
            float s = 0;
            for (int k = 0; k < A.latime; ++k)
                s += A.elem[i * A.pas + k] * B.elem[k * B.pas + j];
            if (s != C.elem[i * C.pas + j]) ++gresite;
        }
    printf("gresite: %d\n", gresite);
    cudaFree(A.elem); cudaFree(B.elem); cudaFree(C.elem);
    return 0;
}
