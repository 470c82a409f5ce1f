// Tema 5: y = A^T * x
//
// A are m linii si n coloane (pe linii), x are m elemente, y are n elemente.
// Fiecare fir calculeaza un element din y; bucati din x stau in memoria partajata.
// m si n pot fi oricat.
// Lansare: transpusaVector<<<(n + FIRE - 1) / FIRE, FIRE>>>(A, x, y, m, n);
#include <cuda_runtime.h>

#define FIRE 128
#define PE_FIR 2
#define BUCATA (FIRE * PE_FIR)

// copiaza o bucata din x, cu zero dupa sfarsit
__device__ void incarcaBucata(float *dest, const float *x, int inceput, int m)
{
    for (int e = 0; e < PE_FIR; e++) {
        int loc = threadIdx.x + e * FIRE;
        int i = inceput + loc;
        dest[loc] = (i < m) ? x[i] : 0.0f;
    }
}

__global__ void transpusaVector(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float xs[BUCATA];

    const int col = blockIdx.x * FIRE + threadIdx.x;
    float suma = 0.0f;

    if (col < n) {
        for (int inceput = 0; inceput < m; inceput += BUCATA) {
            incarcaBucata(xs, x, inceput, m);
            __syncthreads();

            const int cate = min(BUCATA, m - inceput);
            for (int i = 0; i < cate; i++)
                suma += A[(size_t)(inceput + i) * n + col] * xs[i];
            __syncthreads();
        }
        y[col] = suma;
    }
}
