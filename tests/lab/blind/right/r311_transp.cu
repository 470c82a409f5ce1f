// Лабораторная работа №2. Транспонирование прямоугольной матрицы.
#include <cstdio>
#include <cstdlib>

#define PLITKA 32
#define STROK  8

// in: h строк, w столбцов;  out: w строк, h столбцов
__global__ void transponirovat(const float *in, float *out, int h, int w)
{
    __shared__ float plitka[PLITKA][PLITKA + 1];   // +1 против конфликтов банков

    int x = blockIdx.x * PLITKA + threadIdx.x;
    int y = blockIdx.y * PLITKA + threadIdx.y;

    for (int j = 0; j < PLITKA; j += STROK)
        if (x < w && y + j < h)
            plitka[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];

    __syncthreads();

    // меняем местами номера блоков
    x = blockIdx.y * PLITKA + threadIdx.x;
    y = blockIdx.x * PLITKA + threadIdx.y;

    for (int j = 0; j < PLITKA; j += STROK)
        if (x < h && y + j < w)
            out[(y + j) * h + x] = plitka[threadIdx.x][threadIdx.y + j];
}

int main()
{
    const int h = 500, w = 333;
    const size_t bytes = sizeof(float) * h * w;
    float *a = new float[h * w];
    float *b = new float[h * w];
    for (int i = 0; i < h * w; ++i) a[i] = (float)i;

    float *da = nullptr, *db = nullptr;
    if (cudaMalloc(&da, bytes) != cudaSuccess) { puts("нет памяти"); return 1; }
    if (cudaMalloc(&db, bytes) != cudaSuccess) { puts("нет памяти"); return 1; }
    cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);

    dim3 niti(PLITKA, STROK);
    dim3 setka((w + PLITKA - 1) / PLITKA, (h + PLITKA - 1) / PLITKA);
    transponirovat<<<setka, niti>>>(da, db, h, w);

    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaMemcpy(b, db, bytes, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) { printf("ошибка: %s\n", cudaGetErrorString(e)); return 1; }

    bool verno = true;
    for (int i = 0; i < h && verno; ++i)
        for (int j = 0; j < w; ++j)
            if (b[j * h + i] != a[i * w + j]) { verno = false; break; }
    puts(verno ? "верно" : "неверно");

    cudaFree(da);
    cudaFree(db);
    delete[] a;
    delete[] b;
    return 0;
}
