// Opdracht 3: gereduceerde matrixvermenigvuldiging
// invoer: A (n x n) en B (n x n), n even
// uitvoer: C (n/2 x n/2)
// We tellen de twee rijen / kolommen al op bij het laden van de tegel.

template <typename T, int TEGEL>
__global__ void gereduceerd(const T *A, const T *B, T *C, int n)
{
    __shared__ T sa[TEGEL][TEGEL];
    __shared__ T sb[TEGEL][TEGEL + 1];

    const int half_n = n / 2;
    const int rij = blockIdx.y * TEGEL + threadIdx.y;
    const int kol = blockIdx.x * TEGEL + threadIdx.x;

    T som = 0;

    for (int start = 0; start < n; start += TEGEL) {
        const int ka = start + threadIdx.x;
        const int kb = start + threadIdx.y;

        T a = 0;
        if (rij < half_n && ka < n)
            a = A[2 * rij * n + ka] + A[(rij + 1) * n + ka];
        sa[threadIdx.y][threadIdx.x] = a;

        T b = 0;
        if (kol < half_n && kb < n)
            b = B[kb * n + 2 * kol] + B[kb * n + 2 * kol + 1];
        sb[threadIdx.y][threadIdx.x] = b;

        __syncthreads();

        for (int k = 0; k < TEGEL; ++k)
            som += sa[threadIdx.y][k] * sb[k][threadIdx.x];

        __syncthreads();
    }

    if (rij < half_n && kol < half_n)
        C[rij * half_n + kol] = som;
}

template __global__ void gereduceerd<float, 16>(const float *, const float *, float *, int);
template __global__ void gereduceerd<int, 8>(const int *, const int *, int *, int);
