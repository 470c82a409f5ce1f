// Esercizio 7 - prodotto ridotto (somme di coppie di righe di A e di colonne di B)
// Un thread per elemento di C, niente memoria condivisa.
//
//   A ha 2*p righe e k colonne, B ha k righe e 2*q colonne, C ha p righe e q colonne
//
// Lancio:
//   dim3 b(32, 8);
//   dim3 g((q + 31) / 32, (p + 7) / 8);
//   ridotto<<<g, b>>>(A, B, C, p, q, k);
// con p, q, k da 1 a 10000

template <class T>
__device__ inline T coppiaRighe(const T *A, int i, int l, int k)
{
    const T *sopra = A + 2 * i * k;
    const T *sotto = sopra + k;
    return sopra[l] + sotto[l];
}

template <class T>
__device__ inline T coppiaColonne(const T *B, int l, int j, int q)
{
    const T *riga = B + l * q;
    return riga[2 * j] + riga[2 * j + 1];
}

template <class T>
__global__ void ridotto(const T *A, const T *B, T *C, int p, int q, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < p && j < q)
    {
        T somma = 0;
        for (int l = 0; l < k; l++)
            somma += coppiaRighe(A, i, l, k) * coppiaColonne(B, l, j, q);
        C[i * q + j] = somma;
    }
}

template __global__ void ridotto<float>(const float *, const float *, float *, int, int, int);
template __global__ void ridotto<double>(const double *, const double *, double *, int, int, int);
