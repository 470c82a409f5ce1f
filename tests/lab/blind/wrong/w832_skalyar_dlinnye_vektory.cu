// Скалярное произведение длинных векторов из signed char.
// Длина n: от 1 до 8 000 000 000. Каждый блок берёт свой сплошной отрезок.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned BLOKOV = 1024;
constexpr unsigned NITEJ = 256;

__global__ void otrezki(const signed char* __restrict__ a, const signed char* __restrict__ b,
                        size_t n, unsigned naBlok, long long* chasti)
{
    __shared__ long long s[NITEJ];
    const size_t nachalo = blockIdx.x * naBlok;
    const size_t konec = nachalo + naBlok < n ? nachalo + naBlok : n;

    long long summa = 0;
    for (size_t i = nachalo + threadIdx.x; i < konec; i += NITEJ)
        summa += int(a[i]) * int(b[i]);

    s[threadIdx.x] = summa;
    __syncthreads();
    for (unsigned h = NITEJ / 2; h; h >>= 1) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) chasti[blockIdx.x] = s[0];
}

// a и b лежат в памяти устройства
long long skalyar(const signed char* a, const signed char* b, size_t n)
{
    const unsigned naBlok = unsigned((n + BLOKOV - 1) / BLOKOV);
    std::vector<long long> h(BLOKOV);
    long long* chasti;
    cudaMalloc(&chasti, BLOKOV * sizeof(long long));
    otrezki<<<BLOKOV, NITEJ>>>(a, b, n, naBlok, chasti);
    cudaMemcpy(h.data(), chasti, BLOKOV * sizeof(long long), cudaMemcpyDeviceToHost);
    cudaFree(chasti);
    long long itog = 0;
    for (long long v : h) itog += v;
    return itog;
}

int main(int argc, char** argv)
{
    const size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 10000000;
    signed char *a, *b;
    if (cudaMalloc(&a, n) != cudaSuccess || cudaMalloc(&b, n) != cudaSuccess) {
        printf("не хватает памяти\n");
        return 1;
    }
    cudaMemset(a, 3, n);
    cudaMemset(b, 0xFE, n);      // то есть -2
    printf("получено %lld, должно быть %lld\n", skalyar(a, b, n), -6LL * (long long)n);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
