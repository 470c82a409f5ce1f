// Лабораторная работа №2: сумма элементов массива (дерево в разделяемой памяти)
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define RAZMER_BLOKA 256

__global__ void summa(const int* vhod, long long* itog, int n)
{
    __shared__ long long chast[RAZMER_BLOKA];

    int t = threadIdx.x;
    long long s = 0;
    // каждая нить складывает свои элементы с шагом во всю сетку
    for (long long i = (long long)blockIdx.x * blockDim.x + t; i < n;
         i += (long long)gridDim.x * blockDim.x)
        s += vhod[i];
    chast[t] = s;
    __syncthreads();

    for (int shag = RAZMER_BLOKA / 2; shag > 1; shag /= 2) {
        if (t < shag)
            chast[t] += chast[t + shag];
        __syncthreads();
    }

    if (t == 0)
        itog[blockIdx.x] = chast[0];
}

int main(int argc, char** argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 1000000;
    if (n < 1) {
        printf("Число элементов должно быть положительным\n");
        return 1;
    }

    int bloki = (n - 1) / RAZMER_BLOKA + 1;
    if (bloki > 512)
        bloki = 512;

    int* h = (int*)malloc((size_t)n * sizeof(int));
    long long* hItog = (long long*)malloc(bloki * sizeof(long long));
    long long etalon = 0;
    for (int i = 0; i < n; i++) {
        h[i] = rand() % 1000;
        etalon += h[i];
    }

    int* d;
    long long* dItog;
    cudaMalloc(&d, (size_t)n * sizeof(int));
    cudaMalloc(&dItog, bloki * sizeof(long long));
    cudaMemcpy(d, h, (size_t)n * sizeof(int), cudaMemcpyHostToDevice);

    summa<<<bloki, RAZMER_BLOKA>>>(d, dItog, n);

    cudaError_t err = cudaMemcpy(hItog, dItog, bloki * sizeof(long long), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) {
        printf("Ошибка CUDA: %s\n", cudaGetErrorString(err));
        return 1;
    }

    // итоги блоков складываем на процессоре
    long long rezultat = 0;
    for (int b = 0; b < bloki; b++)
        rezultat += hItog[b];

    printf("GPU: %lld, CPU: %lld, %s\n", rezultat, etalon,
           rezultat == etalon ? "совпадает" : "НЕ совпадает");

    cudaFree(d);
    cudaFree(dItog);
    free(h);
    free(hItog);
    return rezultat == etalon ? 0 : 1;
}
