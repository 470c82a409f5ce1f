// Пакетний добуток матриць 8 x 8 без спільної пам'яті: лише регістри та shuffle.
// Одну матрицю обробляють 8 потоків; потік j тримає стовпець j матриць A і B
// та обчислює стовпець j матриці C. У warp уміщується чотири матриці.
// Кількість матриць довільна.
#include <cuda_runtime.h>

constexpr int ROZMIR = 8;
constexpr unsigned VSI = 0xffffffffu;

__global__ void paket8(const float *A, const float *B, float *C, int kilkist)
{
    const int potik = blockIdx.x * blockDim.x + threadIdx.x;
    const int nomer = potik / ROZMIR;
    const int j = potik % ROZMIR;
    const bool isnuie = nomer < kilkist;
    const size_t zsuv = (size_t)nomer * ROZMIR * ROZMIR + j;

    float a[ROZMIR], b[ROZMIR], c[ROZMIR];
#pragma unroll
    for (int i = 0; i < ROZMIR; ++i) {
        a[i] = isnuie ? A[zsuv + i * ROZMIR] : 0.f;
        b[i] = isnuie ? B[zsuv + i * ROZMIR] : 0.f;
        c[i] = 0.f;
    }

#pragma unroll
    for (int k = 0; k < ROZMIR; ++k)
#pragma unroll
        for (int i = 0; i < ROZMIR; ++i)
            c[i] += __shfl_sync(VSI, a[i], k) * b[k];

    if (isnuie) {
#pragma unroll
        for (int i = 0; i < ROZMIR; ++i)
            C[zsuv + i * ROZMIR] = c[i];
    }
}

cudaError_t zapustyty(const float *A, const float *B, float *C, int kilkist)
{
    if (kilkist < 1 || kilkist > 100000000)
        return cudaErrorInvalidValue;
    const int potokiv = 128;
    const int matrycNaBlok = potokiv / ROZMIR;
    paket8<<<(kilkist + matrycNaBlok - 1) / matrycNaBlok, potokiv>>>(A, B, C, kilkist);
    return cudaGetLastError();
}
