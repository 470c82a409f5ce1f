// Producte reduït amb matrius guardades per columnes.
//   A: 2m x k  -> A(r, c) = A[r + c * 2m]
//   B: k x 2n  -> B(r, c) = B[r + c * k]
//   C: m x n   -> C(i, j) = C[i + j * m]
// C(i,j) és la suma dels quatre elements de A*B del quadrat que comença a (2i, 2j).
// Un fil per element de C: la x del fil és la fila i la y és la columna.
// m, n i k no passen de 50000.
#include <cuda_runtime.h>

__global__ void producteReduit(const float* __restrict__ A, const float* __restrict__ B,
                               float* __restrict__ C, int m, int n, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;

    // les files 2i i 2i+1 són veïnes dins de cada columna d'A
    const float* a = A + 2 * i;
    const size_t salt = 2 * static_cast<size_t>(m);

    const float* b0 = B + static_cast<size_t>(2 * j) * k;   // columna 2j
    const float* b1 = b0 + k;                               // columna 2j + 1
    const float* const fi = b1;

    float suma = 0.f;
    while (b0 != fi) {
        suma += (a[0] + a[1]) * (*b0++ + *b1++);
        a += salt;
    }

    C[i + static_cast<size_t>(j) * m] = suma;
}
