// Лабораторная 2: транспонирование матрицы через разделяемую память
// in:  rows x cols, по строкам
// out: cols x rows, по строкам
// Размеры произвольные.

#define PLITKA 32
#define STROK  8

__global__ void transponirovat(const float *in, float *out, int rows, int cols)
{
    __shared__ float plitka[PLITKA][PLITKA + 1];   // +1 против конфликтов банков

    int x = blockIdx.x * PLITKA + threadIdx.x;
    int y = blockIdx.y * PLITKA + threadIdx.y;

    for (int k = 0; k < PLITKA; k += STROK) {
        if (x < cols && y + k < rows)
            plitka[threadIdx.y + k][threadIdx.x] = in[(y + k) * cols + x];
    }
    __syncthreads();

    // координаты в транспонированной матрице
    x = blockIdx.y * PLITKA + threadIdx.x;
    y = blockIdx.x * PLITKA + threadIdx.y;

    for (int k = 0; k < PLITKA; k += STROK) {
        if (x < cols && y + k < rows)
            out[(y + k) * rows + x] = plitka[threadIdx.x][threadIdx.y + k];
    }
}

// Запуск:
//   dim3 block(PLITKA, STROK);
//   dim3 grid((cols + PLITKA - 1) / PLITKA, (rows + PLITKA - 1) / PLITKA);
//   transponirovat<<<grid, block>>>(d_in, d_out, rows, cols);
