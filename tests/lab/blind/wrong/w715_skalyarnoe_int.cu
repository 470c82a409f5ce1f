// Скалярное произведение целых векторов.
// Значения по модулю не больше 1 000 000, длина не больше 1 000 000:
// результат помещается в long long.
//
// Запуск (число блоков от 1 до 65535, THREADS потоков в блоке):
//   long long zero = 0;
//   cudaMemcpy(d_result, &zero, sizeof(zero), cudaMemcpyHostToDevice);
//   dotInt<<<blocks, THREADS>>>(d_a, d_b, n, d_result);

#define THREADS 128

__device__ __forceinline__ void addLL(long long *where, long long what)
{
    // у atomicAdd нет варианта для long long
    atomicAdd(reinterpret_cast<unsigned long long *>(where),
              static_cast<unsigned long long>(what));
}

__global__ void dotInt(const int *a, const int *b, int n, long long *result)
{
    __shared__ long long part[THREADS];

    long long sum = 0;
    int step = gridDim.x * THREADS;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        sum += a[i] * b[i];

    part[threadIdx.x] = sum;
    __syncthreads();

    // сложение парами, оставшиеся 32 значения складывает один warp
    if (threadIdx.x < 64)
        part[threadIdx.x] += part[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) {
        long long v = part[threadIdx.x] + part[threadIdx.x + 32];
        for (int d = 16; d >= 1; d >>= 1)
            v += __shfl_xor_sync(0xffffffff, v, d);
        if (threadIdx.x == 0)
            addLL(result, v);
    }
}
