// Полносвязный слой: Y = relu(X * W^T + b)
//   X: пакет x вход, W: выход x вход, b: выход, Y: пакет x выход (по строкам).
// Сторона плитки задаётся при запуске, разделяемая память динамическая.
#include <cuda_runtime.h>

#define DELIT_VVERH(a, b) (((a) + (b) - 1) / (b))

__device__ __forceinline__ float relu(float v) { return v > 0.0f ? v : 0.0f; }

// blockDim.x == blockDim.y == storona
__global__ void sloi(const float *X, const float *W, const float *b, float *Y,
                     int paket, int vhod, int vyhod)
{
    extern __shared__ float pamyat[];
    const int storona = blockDim.x;
    const int shag = storona + 1;                // +1 против конфликтов банков
    float *px = pamyat;                          // px[строка][k]
    float *pw = pamyat + storona * shag;         // pw[нейрон][k]

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int stroka = blockIdx.y * storona + ty;
    const int neiron0 = blockIdx.x * storona;
    const int neiron = neiron0 + tx;

    float summa = 0.0f;
    for (int k0 = 0; k0 < vhod; k0 += storona) {
        const int k = k0 + tx;
        px[ty * shag + tx] = (stroka < paket && k < vhod)
            ? X[(size_t)stroka * vhod + k] : 0.0f;
        // W читается подряд по k, поэтому номер нейрона здесь берётся из ty
        pw[ty * shag + tx] = (neiron0 + ty < vyhod && k < vhod)
            ? W[(size_t)(neiron0 + ty) * vhod + k] : 0.0f;
        __syncthreads();

        for (int i = 0; i < storona; ++i)
            summa += px[ty * shag + i] * pw[tx * shag + i];
        __syncthreads();
    }

    if (stroka < paket && neiron < vyhod)
        Y[(size_t)stroka * vyhod + neiron] = relu(summa + b[neiron]);
}

// Указатели на память устройства, все размеры положительны,
// 1 <= storona <= 32, paket <= 65535 * storona.
cudaError_t primenitSloi(const float *X, const float *W, const float *b, float *Y,
                         int paket, int vhod, int vyhod, int storona)
{
    if (storona < 1 || storona > 32)
        return cudaErrorInvalidValue;
    const dim3 blok(storona, storona);
    const dim3 setka(DELIT_VVERH(vyhod, storona), DELIT_VVERH(paket, storona));
    const size_t baity = 2 * (size_t)storona * (storona + 1) * sizeof(float);
    sloi<<<setka, blok, baity>>>(X, W, b, Y, paket, vhod, vyhod);
    return cudaGetLastError();
}
