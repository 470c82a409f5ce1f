// C = A*B, хранение по столбцам (как в Фортране), двойной буфер в разделяемой памяти.
// Размеры любые. Следующая плитка сначала читается в регистры, потом кладётся в буфер.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define P 16

__global__ void umnozh(const double *a, const double *b, double *c, int m, int n, int k)
{
    __shared__ double sa[2][P][P + 1];   // [буфер][l][i]
    __shared__ double sb[2][P][P + 1];   // [буфер][j][l]

    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.x * P + x;
    int j = blockIdx.y * P + y;
    double summa = 0.0;
    int buf = 0;

    sa[0][y][x] = (i < m && y < k) ? a[i + y * m] : 0.0;
    sb[0][y][x] = (x < k && j < n) ? b[x + j * k] : 0.0;
    __syncthreads();

    for (int l0 = 0; l0 < k; l0 += P) {
        int sled = l0 + P;               // начало следующей плитки
        double ra = 0.0, rb = 0.0;
        if (i < m && sled + y < k) ra = a[i + (sled + y) * m];
        if (sled + x < k && j < n) rb = b[sled + x + j * k];

        for (int l = 0; l < P; l++)
            summa += sa[buf][l][x] * sb[buf][y][l];

        __syncthreads();
        buf = 1 - buf;
        sa[buf][y][x] = ra;
        sb[buf][y][x] = rb;
    }

    if (i < m && j < n) c[i + j * m] = summa;
}

int main(void)
{
    int m = 64, n = 48, k = 100;
    double *a, *b, *c;
    cudaMallocManaged(&a, sizeof(double) * m * k, cudaMemAttachGlobal);
    cudaMallocManaged(&b, sizeof(double) * k * n, cudaMemAttachGlobal);
    cudaMallocManaged(&c, sizeof(double) * m * n, cudaMemAttachGlobal);
    for (int t = 0; t < m * k; t++) a[t] = cos((double)t);
    for (int t = 0; t < k * n; t++) b[t] = sin((double)t);

    dim3 blok(P, P);
    dim3 setka((m + P - 1) / P, (n + P - 1) / P);
    umnozh<<<setka, blok>>>(a, b, c, m, n, k);
    cudaDeviceSynchronize();

    double max = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double s = 0.0;
            for (int l = 0; l < k; l++) s += a[i + l * m] * b[l + j * k];
            if (fabs(s - c[i + j * m]) > max) max = fabs(s - c[i + j * m]);
        }
    printf("max raznost' %g\n", max);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
