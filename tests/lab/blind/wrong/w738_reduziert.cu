// Blatt 5, Aufgabe 2: reduziertes Matrixprodukt, k Multiplikationen je Element
//
//   R[i][j] = Summe_p (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1])
//
// A: m x k, B: k x n, R: (m/2) x (n/2); m und n gerade, k beliebig.
// Die Zeilen- und Spaltenpaare werden schon beim Laden addiert.
// Block: (BREITE, BREITE), Gitter: (ceil(n/2 / BREITE), ceil(m/2 / BREITE))

template <typename T, int BREITE>
__global__ void reduziert(const T* __restrict__ A, const T* __restrict__ B,
                          T* __restrict__ R, int m, int n, int k)
{
    __shared__ T paarA[BREITE][BREITE];
    __shared__ T paarB[BREITE][BREITE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * BREITE + ty;
    const int j = blockIdx.x * BREITE + tx;
    const int hm = m / 2, hn = n / 2;

    T summe = 0;
    for (int anfang = 0; anfang < k; anfang += BREITE) {
        T a = 0, b = 0;
        const int pa = anfang + tx;
        const int pb = anfang + ty;
        if (i < hm && pa < k)
            a = A[(2 * i) * k + pa] + A[(2 * i + 1) * k + pa];
        if (pb < k && j < hn)
            b = B[pb * n + 2 * j] + B[pb * n + 2 * j + 1];
        paarA[ty][tx] = a;
        paarB[ty][tx] = b;
        __syncthreads();

        T teil = 0;
        for (int p = 0; p < BREITE; ++p)
            teil += paarA[ty][p] * paarB[p][tx];
        summe = teil;
        __syncthreads();
    }

    if (i < hm && j < hn)
        R[i * hn + j] = summe;
}

template __global__ void reduziert<float, 16>(const float*, const float*, float*, int, int, int);
template __global__ void reduziert<double, 16>(const double*, const double*, double*, int, int, int);
