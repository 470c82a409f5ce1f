// Entrega final: multiplicación con mosaicos rectangulares (ANCHO x ALTO), matrices enteras
// P (filas x cols) = Q (filas x inter) * R (inter x cols)
// Las tres dimensiones son independientes y arbitrarias.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
using std::vector;

typedef struct {
    int filas, cols, inter;
} Dims;

template <int ANCHO, int ALTO>
__global__ void mosaico(const int *Q, const int *R, int *P, Dims d)
{
    // la profundidad del mosaico es ANCHO
    __shared__ int mq[ALTO][ANCHO];
    __shared__ int mr[ANCHO][ANCHO];

    int f = blockIdx.y * ALTO + threadIdx.y;
    int c = blockIdx.x * ANCHO + threadIdx.x;
    int total = 0;

    for (int base = 0; base < d.inter; base += ANCHO) {
        int kq = base + threadIdx.x;
        mq[threadIdx.y][threadIdx.x] = (f < d.filas && kq < d.inter) ? Q[f * d.inter + kq] : 0;

        for (int s = threadIdx.y; s < ANCHO; s += ALTO) {
            int kr = base + s;
            mr[s][threadIdx.x] = (kr < d.inter && c < d.cols) ? R[kr * d.inter + c] : 0;
        }
        __syncthreads();

        for (int k = 0; k < ANCHO; ++k)
            total += mq[threadIdx.y][k] * mr[k][threadIdx.x];
        __syncthreads();
    }

    if (f < d.filas && c < d.cols)
        P[f * d.cols + c] = total;
}

vector<int> multiplica(const vector<int> &Q, const vector<int> &R, Dims d)
{
    const int ANCHO = 32, ALTO = 8;
    vector<int> P((size_t)d.filas * d.cols);
    int *dq, *dr, *dp;
    cudaMalloc(&dq, Q.size() * sizeof(int));
    cudaMalloc(&dr, R.size() * sizeof(int));
    cudaMalloc(&dp, P.size() * sizeof(int));
    cudaMemcpy(dq, Q.data(), Q.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, R.data(), R.size() * sizeof(int), cudaMemcpyHostToDevice);

    dim3 malla((d.cols + ANCHO - 1) / ANCHO, (d.filas + ALTO - 1) / ALTO);
    mosaico<ANCHO, ALTO><<<malla, dim3(ANCHO, ALTO)>>>(dq, dr, dp, d);

    cudaMemcpy(P.data(), dp, P.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(dq);
    cudaFree(dr);
    cudaFree(dp);
    return P;
}

int main()
{
    Dims d = { 64, 64, 64 };
    vector<int> Q(d.filas * d.inter), R(d.inter * d.cols);
    for (size_t i = 0; i < Q.size(); i++) Q[i] = i % 10;
    for (size_t i = 0; i < R.size(); i++) R[i] = i % 3 - 1;
    vector<int> P = multiplica(Q, R, d);
    printf("P[0][0]=%d P[63][63]=%d\n", P[0], P[63 * 64 + 63]);
    return 0;
}
