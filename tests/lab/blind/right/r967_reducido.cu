// Producto reducido: C(i,j) = suma del cuadrado 2x2 del producto A*B
// A es 2m x k, B es k x 2n, C es m x n.
// Sumamos los pares de filas y de columnas al cargar las baldosas.
const int LADO_X = 32;
const int LADO_Y = 8;

__global__ void reducido(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float filas[LADO_Y][LADO_X];     // pares de filas de A ya sumados
    __shared__ float cols[LADO_X][LADO_X];      // pares de columnas de B ya sumados

    int j = blockIdx.x * LADO_X + threadIdx.x;
    int i = blockIdx.y * LADO_Y + threadIdx.y;
    float total = 0.f;

    for (int base = 0; base < k; base += LADO_X) {
        int ka = base + threadIdx.x;
        float v = 0.f;
        if (i < m && ka < k)
            v = A[2 * i * k + ka] + A[(2 * i + 1) * k + ka];
        filas[threadIdx.y][threadIdx.x] = v;

        for (int f = threadIdx.y; f < LADO_X; f += LADO_Y) {
            float w = 0.f;
            if (base + f < k && j < n) {
                const float *par = B + (base + f) * 2 * n + 2 * j;
                w = par[0] + par[1];
            }
            cols[f][threadIdx.x] = w;
        }
        __syncthreads();

        for (int q = 0; q < LADO_X; q++)
            total += filas[threadIdx.y][q] * cols[q][threadIdx.x];
        __syncthreads();
    }

    if (i < m && j < n)
        C[i * n + j] = total;
}

void lanzar(const float *A, const float *B, float *C, int m, int n, int k)
{
    dim3 hilos(LADO_X, LADO_Y);
    dim3 bloques((n + LADO_X - 1) / LADO_X, (m + LADO_Y - 1) / LADO_Y);
    reducido<<<bloques, hilos>>>(A, B, C, m, n, k);
}
