// Prodotto per colonne con descrittore (puntatore, righe, colonne, dimensione principale).
// Vale ld >= righe: una matrice puo essere una finestra di una piu grande.
#include <cassert>
#include <cuda_runtime.h>

struct Finestra {
    float *p;
    int righe, colonne, ld;
};

// C = alfa * A * B + beta * C ; filo unico per elemento, blocco unidimensionale
__global__ void gemm_finestre(Finestra A, Finestra B, Finestra C, float alfa, float beta)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y;
    if (r >= C.righe)
        return;

    float s = 0.0f;
    const float *a = A.p + r;
    const float *b = B.p + (size_t)c * B.ld;
    for (int k = 0; k < A.colonne; k++) {
        s += *a * b[k];
        a += A.righe;
    }

    float *dest = C.p + (size_t)c * C.ld + r;
    *dest = alfa * s + (beta == 0.0f ? 0.0f : beta * *dest);
}

void gemm(Finestra A, Finestra B, Finestra C, float alfa, float beta)
{
    assert(A.colonne == B.righe && C.righe == A.righe && C.colonne == B.colonne);
    assert(C.colonne <= 65535);
    dim3 griglia((C.righe + 127) / 128, C.colonne);
    gemm_finestre<<<griglia, 128>>>(A, B, C, alfa, beta);
}
