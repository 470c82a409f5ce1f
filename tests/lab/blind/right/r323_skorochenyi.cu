// Лаба 4, варіант 11: скорочений добуток (сума квадратів 2x2)
// Блок 32 x 32 обчислює плитку добутку 32 x 32 і дає 16 x 16 елементів результату.
#define PL 32

__global__ void skorochenyiDobutok(const float *a, const float *b, float *rez,
                                   int m, int k, int n)
{
    __shared__ float sa[PL][PL];
    __shared__ float sb[PL][PL];
    __shared__ float dob[PL][PL];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int riadok = blockIdx.y * PL + ty;
    const int stovp  = blockIdx.x * PL + tx;

    float suma = 0.f;
    for (int p = 0; p < k; p += PL) {
        sa[ty][tx] = (riadok < m && p + tx < k) ? a[riadok * k + p + tx] : 0.f;
        sb[ty][tx] = (p + ty < k && stovp < n) ? b[(p + ty) * n + stovp] : 0.f;
        __syncthreads();
        for (int q = 0; q < PL; ++q)
            suma += sa[ty][q] * sb[q][tx];
        __syncthreads();
    }

    dob[ty][tx] = suma;
    __syncthreads();

    // працює лише чверть потоків
    if (tx < PL / 2 && ty < PL / 2) {
        int i = blockIdx.y * (PL / 2) + ty;
        int j = blockIdx.x * (PL / 2) + tx;
        if (i < m / 2 && j < n / 2) {
            rez[i * (n / 2) + j] = dob[2 * ty][2 * tx] + dob[2 * ty][2 * tx + 1]
                                 + dob[2 * ty + 1][2 * tx] + dob[2 * ty + 1][2 * tx + 1];
        }
    }
}
