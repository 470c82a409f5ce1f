// Умножение матрицы на вектор: y = A * x
// A хранится по столбцам: элемент (i, j) лежит в A[j * m + i], размер m x n.
// Одна нить считает одну строку; соседние нити читают соседние элементы столбца.
// Вектор x подгружается кусками длиной blockDim.x в разделяемую память.
//
// Запуск:  matvec<<<(m + B - 1) / B, B, B * sizeof(float)>>>(A, x, y, m, n);   B - любое от 1 до 1024

__global__ void matvec(const float *A, const float *x, float *y, int m, int n)
{
    extern __shared__ float kusok[];

    const int B = blockDim.x;
    const int i = blockIdx.x * B + threadIdx.x;
    float summa = 0.0f;

    for (int j0 = 0; j0 < n; j0 += B) {
        const int dlina = min(B, n - j0);

        __syncthreads();                       // прошлый кусок уже никому не нужен
        if (threadIdx.x < dlina)
            kusok[threadIdx.x] = x[j0 + threadIdx.x];
        __syncthreads();

        if (i < m) {
            const float *stolbec = A + (size_t)j0 * m + i;
            for (int j = 0; j < dlina; ++j) {
                summa += *stolbec * kusok[j];
                stolbec += m;
            }
        }
    }

    if (i < m)
        y[i] = summa;
}
