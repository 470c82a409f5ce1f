// Reducerad matrisprodukt, utan delat minne.
//   C[i][j] = summa över l av (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// A: (2*h) x k, B: k x (2*w), C: h x w. Radvis lagring med ledande dimensioner
// (lda >= k, ldb >= 2*w, ldc >= w, alla räknade i element).
//
// Kan startas med vilket endimensionellt rutnät som helst, t.ex.
//   reducerad<double><<<40, 192>>>(A, lda, B, ldb, C, ldc, h, w, k);

template <typename Tal>
__device__ __forceinline__ Tal par(const Tal *p, size_t avstand)
{
    return p[0] + p[avstand];
}

template <typename Tal>
__global__ void reducerad(const Tal *A, int lda, const Tal *B, int ldb,
                          Tal *C, int ldc, int h, int w, int k)
{
    const long long antal = (long long)h * w;
    const long long steg = (long long)gridDim.x * blockDim.x;

    for (long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x; e < antal; e += steg) {
        const int i = (int)(e / w);
        const int j = (int)(e % w);
        const Tal *a = A + (size_t)(2 * i) * lda;
        const Tal *b = B + 2 * j;

        Tal summa = 0;
        for (int l = 0; l < k; ++l) {
            summa += par(a, lda) * par(b, 1);
            a += 1;
            b += ldb;
        }
        C[(size_t)i * ldc + j] = summa;
    }
}

template __global__ void reducerad<float>(const float *, int, const float *, int, float *, int, int, int, int);
template __global__ void reducerad<double>(const double *, int, const double *, int, double *, int, int, int, int);
