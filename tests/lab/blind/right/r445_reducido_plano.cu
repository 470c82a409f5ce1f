#include <cuda_runtime.h>

typedef long long entero;

struct Matriz {
    const entero *datos;
    int filas;
    int columnas;
};

__device__ entero en(Matriz m, int f, int c) { return m.datos[(entero)f * m.columnas + c]; }

// producto reducido, un indice plano, bucle a saltos de la malla
// R tiene (A.filas / 2) x (B.columnas / 2) elementos; A.columnas == B.filas
__global__ void reducido(Matriz A, Matriz B, entero *R)
{
    const int alto = A.filas / 2;
    const int ancho = B.columnas / 2;
    const entero total = (entero)alto * ancho;
    const entero salto = (entero)gridDim.x * blockDim.x;

    for (entero q = (entero)blockIdx.x * blockDim.x + threadIdx.x; q < total; q += salto) {
        const int i = (int)(q / ancho);
        const int j = (int)(q % ancho);
        entero acumulado = 0;
        for (int p = 0; p < A.columnas; p++) {
            entero izquierda = en(A, 2 * i, p) + en(A, 2 * i + 1, p);
            entero derecha = en(B, p, 2 * j) + en(B, p, 2 * j + 1);
            acumulado += izquierda * derecha;
        }
        R[q] = acumulado;
    }
}

void lanzar_reducido(Matriz A, Matriz B, entero *R)
{
    // 60 bloques bastan, cada hilo da las vueltas que hagan falta
    reducido<<<60, 192>>>(A, B, R);
}
