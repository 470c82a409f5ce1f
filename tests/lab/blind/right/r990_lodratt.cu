/* y = A*x, A lagrad kolumnvis: A(i,j) = A[j*m + i], m rader och n kolumner.
   Blocket är 32 x 8: x-riktningen är rader, y-riktningen delar upp kolumnerna. */
#include <cuda_runtime.h>

enum { RADER = 32, DELAR = 8 };

__global__ void matvek(const double *A, const double *x, double *y, int m, int n)
{
    __shared__ double del[DELAR][RADER];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * RADER + tx;

    double s = 0.0;
    if (i < m) {
        for (int j = ty; j < n; j += DELAR)
            s += A[j * m + i] * x[j];
    }
    del[ty][tx] = s;
    __syncthreads();

    if (ty != 0 || i >= m)
        return;
    for (int d = 1; d < DELAR; d++)
        s += del[d][tx];
    y[i] = s;
}

void kor(const double *A, const double *x, double *y, int m, int n)
{
    matvek<<<(m + RADER - 1) / RADER, dim3(RADER, DELAR)>>>(A, x, y, m, n);
}
