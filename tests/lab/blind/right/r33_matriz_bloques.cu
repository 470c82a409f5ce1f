// Practica 4: producto de matrices por bloques (memoria compartida)
#include <cstdio>
#include <cstdint>
#include <cmath>
#include <vector>

constexpr int LADO = 32;

__global__ void productoMatrices(int64_t filas, int64_t columnas, int64_t comun,
                                 const float* izquierda, const float* derecha, float* resultado)
{
    __shared__ float bloqueIzq[LADO][LADO];
    __shared__ float bloqueDer[LADO][LADO];

    int64_t fila = (int64_t)blockIdx.y * LADO + threadIdx.y;
    int64_t columna = (int64_t)blockIdx.x * LADO + threadIdx.x;

    float acumulado = 0.0f;

    for (int64_t paso = 0; paso < comun; paso += LADO)
    {
        // cada hilo carga un elemento de cada bloque (cero fuera de la matriz)
        int64_t ci = paso + threadIdx.x;
        int64_t fd = paso + threadIdx.y;
        bool dentroIzq = fila < filas && ci < comun;
        bool dentroDer = fd < comun && columna < columnas;
        bloqueIzq[threadIdx.y][threadIdx.x] = dentroIzq ? izquierda[fila * comun + ci] : 0.0f;
        bloqueDer[threadIdx.y][threadIdx.x] = dentroDer ? derecha[fd * columnas + columna] : 0.0f;

        __syncthreads();   // esperar a que los bloques esten completos

        #pragma unroll 8
        for (int k = 0; k < LADO; k++)
            acumulado += bloqueIzq[threadIdx.y][k] * bloqueDer[k][threadIdx.x];

        __syncthreads();   // no sobrescribir mientras otros leen
    }

    if (fila < filas && columna < columnas)
        resultado[fila * columnas + columna] = acumulado;
}

int main()
{
    const int64_t filas = 123, columnas = 321, comun = 213;
    std::vector<float> izq(filas * comun), der(comun * columnas), res(filas * columnas);
    for (size_t i = 0; i < izq.size(); i++) izq[i] = (float)(i % 8) - 3.5f;
    for (size_t i = 0; i < der.size(); i++) der[i] = (float)(i % 6) * 0.1f;

    float *d_izq, *d_der, *d_res;
    cudaMalloc(&d_izq, izq.size() * sizeof(float));
    cudaMalloc(&d_der, der.size() * sizeof(float));
    cudaMalloc(&d_res, res.size() * sizeof(float));
    cudaMemcpy(d_izq, izq.data(), izq.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_der, der.data(), der.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 hilos(LADO, LADO);
    dim3 bloques((unsigned)((columnas + LADO - 1) / LADO), (unsigned)((filas + LADO - 1) / LADO));
    productoMatrices<<<bloques, hilos>>>(filas, columnas, comun, d_izq, d_der, d_res);

    cudaMemcpy(res.data(), d_res, res.size() * sizeof(float), cudaMemcpyDeviceToHost);

    bool bien = true;
    for (int64_t i = 0; i < filas; i++)
        for (int64_t j = 0; j < columnas; j++) {
            double s = 0;
            for (int64_t k = 0; k < comun; k++) s += (double)izq[i * comun + k] * der[k * columnas + j];
            if (!(std::fabs(s - res[i * columnas + j]) <= 1e-2)) bien = false;
        }
    printf("%s\n", bien ? "OK" : "BAD");
    cudaFree(d_izq); cudaFree(d_der); cudaFree(d_res);
    return bien ? 0 : 1;
}
