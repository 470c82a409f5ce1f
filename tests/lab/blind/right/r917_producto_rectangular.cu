// Producto de matrices C = A * B (por filas): A es filas x comun, B es comun x cols.
//
// Lanzamiento: bloque (bx, by) cualquiera; la profundidad de la tesela es P > 0.
//   dim3 bloque(bx, by);
//   dim3 malla((cols + bx - 1) / bx, (filas + by - 1) / by);
//   size_t bytes = (by * (P + 1) + P * bx) * sizeof(float);
//   producto<<<malla, bloque, bytes>>>(A, B, C, filas, comun, cols, P);

__global__ void producto(const float *A, const float *B, float *C,
                         int filas, int comun, int cols, int P)
{
    extern __shared__ float memoria[];
    float *ta = memoria;                          // blockDim.y x (P + 1)
    float *tb = memoria + blockDim.y * (P + 1);   // P x blockDim.x

    int fila = blockIdx.y * blockDim.y + threadIdx.y;
    int col  = blockIdx.x * blockDim.x + threadIdx.x;
    float suma = 0.0f;

    for (int base = 0; base < comun; base += P) {
        for (int p = threadIdx.x; p < P; p += blockDim.x) {
            float v = 0.0f;
            if (fila < filas && base + p < comun)
                v = A[fila * comun + base + p];
            ta[threadIdx.y * (P + 1) + p] = v;
        }
        for (int p = threadIdx.y; p < P; p += blockDim.y) {
            float v = 0.0f;
            if (col < cols && base + p < comun)
                v = B[(base + p) * cols + col];
            tb[p * blockDim.x + threadIdx.x] = v;
        }
        __syncthreads();

        int tope = min(P, comun - base);
        for (int p = 0; p < tope; ++p)
            suma += ta[threadIdx.y * (P + 1) + p] * tb[p * blockDim.x + threadIdx.x];
        __syncthreads();
    }

    if (fila < filas && col < cols)
        C[fila * cols + col] = suma;
}
