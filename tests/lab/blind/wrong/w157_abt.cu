// Esercizio 6: C = A * B^T
// A: righe x kdim, B: colonne x kdim, C: righe x colonne

#define TL 16

__global__ void moltiplicaABt(const float* A, const float* B, float* C,
                              int righe, int colonne, int kdim)
{
    __shared__ float sA[TL][TL];
    __shared__ float sB[TL][TL];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int r = blockIdx.y * TL + ty;
    int c = blockIdx.x * TL + tx;

    // riga di B che questo thread carica
    int rb = blockIdx.x * TL + ty;

    float s = 0.0f;
    for (int k0 = 0; k0 < kdim; k0 += TL) {
        float va = 0.0f, vb = 0.0f;
        if (r < righe && k0 + tx < kdim)
            va = A[r * kdim + k0 + tx];
        if (rb < colonne && k0 + tx < kdim)
            vb = B[rb * kdim + k0 + tx];
        sA[ty][tx] = va;
        sB[ty][tx] = vb;
        __syncthreads();

        for (int k = 0; k < TL; ++k)
            s += sA[ty][k] * sB[k][tx];

        __syncthreads();
    }

    if (r < righe && c < colonne)
        C[r * colonne + c] = s;
}
