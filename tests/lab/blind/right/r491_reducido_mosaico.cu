// Producto reducido con mosaicos en memoria compartida.
// Se cargan las franjas completas (2L filas de A, 2L columnas de B) y las
// parejas se suman al leer de memoria compartida.
// Valido para filas y columnas pares y cualquier valor de k >= 1.
#include <cuda_runtime.h>

template <typename T, int L>
__global__ void reducido(const T *A, const T *B, T *C, int filas, int k, int columnas)
{
    __shared__ T fa[2 * L][L];
    __shared__ T fb[L][2 * L];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int f0 = 2 * L * blockIdx.y;    // primera fila de A de este bloque
    const int c0 = 2 * L * blockIdx.x;    // primera columna de B de este bloque
    T suma = T(0);

    for (int paso = 0; paso < k; paso += L) {
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int f = ty + h * L;
            const int c = tx + h * L;
            fa[f][tx] = (f0 + f < filas && paso + tx < k)
                            ? A[(size_t)(f0 + f) * k + paso + tx] : T(0);
            fb[ty][c] = (paso + ty < k && c0 + c < columnas)
                            ? B[(size_t)(paso + ty) * columnas + c0 + c] : T(0);
        }
        __syncthreads();

#pragma unroll
        for (int q = 0; q < L; ++q) {
            const T izq = fa[2 * ty][q] + fa[2 * ty + 1][q];
            const T der = fb[q][2 * tx] + fb[q][2 * tx + 1];
            suma += izq * der;
        }
        __syncthreads();
    }

    const int i = L * blockIdx.y + ty;
    const int j = L * blockIdx.x + tx;
    if (2 * i < filas && 2 * j < columnas)
        C[(size_t)i * (columnas / 2) + j] = suma;
}

template <typename T>
void producto_reducido(const T *A, const T *B, T *C, int filas, int k, int columnas)
{
    constexpr int L = 16;
    if (filas < 2 || columnas < 2) return;
    dim3 bloque(L, L);
    dim3 malla((columnas + 2 * L - 1) / (2 * L), (filas + 2 * L - 1) / (2 * L));
    reducido<T, L><<<malla, bloque>>>(A, B, C, filas, k, columnas);
}

template void producto_reducido<float>(const float *, const float *, float *, int, int, int);
template void producto_reducido<double>(const double *, const double *, double *, int, int, int);
template void producto_reducido<int>(const int *, const int *, int *, int, int, int);
