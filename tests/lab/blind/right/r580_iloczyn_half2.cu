// Iloczyn skalarny dwoch wektorow typu half.
// Czytamy po dwie liczby (half2), sumujemy we float, na koncu shuffle + atomicAdd.
// n dowolne (nieparzyste tez).
#include <cuda_runtime.h>
#include <cuda_fp16.h>

static const int WATKI = 256;
static const int MAKS_BLOKOW = 240;

__global__ void iloczynHalf(const __half *x, const __half *y, float *wynik, int n)
{
    const __half2 *x2 = reinterpret_cast<const __half2 *>(x);
    const __half2 *y2 = reinterpret_cast<const __half2 *>(y);
    int pary = n / 2;

    float suma = 0.0f;
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    int krok = gridDim.x * blockDim.x;
    for (int i = start; i < pary; i += krok) {
        float2 a = __half22float2(x2[i]);
        float2 b = __half22float2(y2[i]);
        suma = fmaf(a.x, b.x, suma);
        suma = fmaf(a.y, b.y, suma);
    }

    // ostatni element przy nieparzystym n
    if (start == 0 && (n & 1))
        suma += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    for (int o = 16; o > 0; o >>= 1)
        suma += __shfl_xor_sync(0xFFFFFFFF, suma, o);

    if ((threadIdx.x & 31) == 0)
        atomicAdd(wynik, suma);
}

// h_x, h_y - wektory na hoscie
float iloczynSkalarny(const __half *h_x, const __half *h_y, int n)
{
    if (n <= 0) return 0.0f;

    __half *d_x = nullptr, *d_y = nullptr;
    float *d_w = nullptr;
    size_t bajty = (size_t)n * sizeof(__half);
    cudaMalloc((void **)&d_x, bajty);
    cudaMalloc((void **)&d_y, bajty);
    cudaMalloc((void **)&d_w, sizeof(float));
    cudaMemcpy(d_x, h_x, bajty, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, h_y, bajty, cudaMemcpyHostToDevice);
    cudaMemset(d_w, 0, sizeof(float));

    int bloki = (n / 2 + WATKI - 1) / WATKI;
    if (bloki < 1) bloki = 1;
    if (bloki > MAKS_BLOKOW) bloki = MAKS_BLOKOW;
    iloczynHalf<<<bloki, WATKI>>>(d_x, d_y, d_w, n);

    float w = 0.0f;
    cudaMemcpy(&w, d_w, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_w);
    return w;
}
