// Пакет от произведения вектор-ред по матрица: y[b] = x[b]^T * A[b]
// A[b]: m x n по редове; x[b]: m; y[b]: n; всички пакети са плътно един след друг.
// Блок (32, 8): 32 колони, осем нишки делят редовете на всяка колона.
// Решетка: (таван(n / 32), 1, пакети). m, n >= 1.
__global__ void red_po_matrica(const float* x, const float* A, float* y, int m, int n)
{
    __shared__ float chasti[8][33];

    const int тх = threadIdx.x, ту = threadIdx.y;
    const int кол = blockIdx.x * 32 + тх;
    const size_t б = blockIdx.z;

    x += б * m;
    A += б * m * n;
    y += б * n;

    float сума = 0.f;
    if (кол < n)
        for (int р = ту; р < m; р += 8)
            сума += x[р] * A[(size_t)р * n + кол];

    chasti[ту][тх] = сума;
    __syncthreads();

    for (int с = 4; с > 0; с >>= 1) {
        if (ту < с) chasti[ту][тх] += chasti[ту + с][тх];
        __syncthreads();
    }

    if (ту == 0 && кол < n) y[кол] = chasti[0][тх];
}
