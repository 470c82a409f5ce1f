// Скалярное произведение: каждый блок даёт одну частичную сумму,
// суммы блоков складывает процессор.
//
// Запуск:
//   размер блока - любое число, кратное 32, от 32 до 512 (например 96 или 128)
//   skalyar<<<bloki, niti, niti * sizeof(float)>>>(x, y, chast, n);
//   число блоков любое, chast содержит bloki чисел

__global__ void skalyar(const float *x, const float *y, float *chast, int n)
{
    extern __shared__ float kesh[];

    const int t = threadIdx.x;
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
        s += x[i] * y[i];

    kesh[t] = s;
    __syncthreads();

    // свёртка в разделяемой памяти
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            kesh[t] += kesh[t + d];
        __syncthreads();
    }

    if (t == 0)
        chast[blockIdx.x] = kesh[0];
}
