// Massimo di ogni riga di una matrice (righe x colonne, per righe).
// Un blocco per riga; i valori sono float finiti qualsiasi.
//
//   massimoRighe<<<righe, FILI, FILI * sizeof(float)>>>(m, out, righe, colonne);
//
// blockDim.x deve essere una potenza di due.
#include <cuda_runtime.h>

__device__ __forceinline__ float maggiore(float a, float b)
{
    return a > b ? a : b;
}

__global__ void massimoRighe(const float *matrice, float *uscita, int righe, int colonne)
{
    extern __shared__ float parziali[];

    const int riga = blockIdx.x;
    const int t = threadIdx.x;
    if (riga >= righe)
        return;

    const float *r = matrice + (size_t)riga * colonne;
    float migliore = 0.0f;
    for (int c = t; c < colonne; c += blockDim.x)
        migliore = maggiore(migliore, r[c]);

    parziali[t] = migliore;
    __syncthreads();

    for (int meta = blockDim.x >> 1; meta > 0; meta >>= 1) {
        if (t < meta)
            parziali[t] = maggiore(parziali[t], parziali[t + meta]);
        __syncthreads();
    }

    if (t == 0)
        uscita[riga] = parziali[0];
}
