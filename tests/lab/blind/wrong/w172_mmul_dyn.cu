// Лабораторная работа 3. Умножение матриц, динамическая разделяемая память
// Размер плитки равен размеру блока (blockDim.x == blockDim.y)
#include <cstdio>
#include <cstdlib>

extern __shared__ float mem[];

__global__ void mmul(float *c, const float *a, const float *b, int n)
{
    const int T = blockDim.x;
    float *ta = mem;            // плитка A: T x T
    float *tb = mem + T * T;    // плитка B: T x T

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * T + y;
    const int col = blockIdx.x * T + x;

    float s = 0;
    for (int k0 = 0; k0 < n; k0 += T) {
        ta[y * T + x] = (row < n && k0 + x < n) ? a[row * n + k0 + x] : 0.f;
        tb[y * T + x] = (k0 + y < n && col < n) ? b[(k0 + y) * n + col] : 0.f;
        __syncthreads();

        for (int k = 0; k < T; ++k)
            s += ta[y * T + k] * tb[k * T + x];
        __syncthreads();
    }

    if (row < n && col < n)
        c[row * n + col] = s;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 250;
    int T = argc > 2 ? atoi(argv[2]) : 16;
    size_t size = sizeof(float) * n * n;

    float *a = (float *)malloc(size);
    float *b = (float *)malloc(size);
    float *c = (float *)malloc(size);
    for (int i = 0; i < n * n; ++i) {
        a[i] = i % 5;
        b[i] = i % 8;
    }

    float *da, *db, *dc;
    cudaMalloc(&da, size);
    cudaMalloc(&db, size);
    cudaMalloc(&dc, size);
    cudaMemcpy(da, a, size, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, size, cudaMemcpyHostToDevice);

    dim3 block(T, T);
    dim3 grid((n + T - 1) / T, (n + T - 1) / T);
    size_t shmem = T * T * sizeof(float);
    mmul<<<grid, block, shmem>>>(dc, da, db, n);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("ошибка: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(c, dc, size, cudaMemcpyDeviceToHost);

    // проверка
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float r = 0;
            for (int k = 0; k < n; ++k)
                r += a[i * n + k] * b[k * n + j];
            if (r != c[i * n + j]) {
                printf("неверно: (%d, %d)\n", i, j);
                return 1;
            }
        }
    printf("верно\n");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return 0;
}
