#include <cuda_runtime.h>

// y = A x + b      (A : rows x cols, שורה אחר שורה, מרווח שורות lda)
// כל חוט מחשב שורה אחת; הווקטור x נטען לזיכרון המשותף בקטעים בגודל הבלוק.
// rows ו-cols חיוביים כלשהם. גודל הבלוק: 128.

template <int GODEL>
__global__ void __launch_bounds__(GODEL)
matvec(const float *__restrict__ A, size_t lda, const float *__restrict__ x,
       const float *__restrict__ b, float *__restrict__ y, int rows, int cols)
{
    __shared__ float keta[GODEL];
    const int row = blockIdx.x * GODEL + threadIdx.x;
    if (row >= rows)
        return;

    const float *a = A + row * lda;
    float sum = b ? b[row] : 0.f;

    int c0 = 0;
    do {
        const int here = min(GODEL, cols - c0);
        if (threadIdx.x < here)
            keta[threadIdx.x] = x[c0 + threadIdx.x];
        __syncthreads();
        for (int c = 0; c < here; ++c)
            sum = fmaf(a[c0 + c], keta[c], sum);
        __syncthreads();
        c0 += GODEL;
    } while (c0 < cols);

    y[row] = sum;
}

extern "C" int launch_matvec(const float *A, size_t lda, const float *x, const float *b,
                             float *y, int rows, int cols, cudaStream_t st)
{
    matvec<128><<<(rows + 127) / 128, 128, 0, st>>>(A, lda, x, b, y, rows, cols);
    return (int)cudaPeekAtLastError();
}
