// Harjoitus: matriisitulo C = A * B, kaikki koot sallittuja (M, N, K välillä 1..100000)
// Lohko on 32 x 8 säiettä; A:n laatta on 8 x 8 ja B:n laatta 8 x 32.
#include <cuda_runtime.h>

template <typename Luku>
__global__ void matriisitulo(const Luku *A, const Luku *B, Luku *C, int M, int N, int K)
{
    const int LEVEYS = 32, KORKEUS = 8;
    __shared__ Luku lA[KORKEUS][KORKEUS];
    __shared__ Luku lB[KORKEUS][LEVEYS];

    int tx = threadIdx.x, ty = threadIdx.y;
    int rivi = blockIdx.y * KORKEUS + ty;
    int sarake = blockIdx.x * LEVEYS + tx;

    if (rivi >= M || sarake >= N)
        return;

    Luku summa = 0;
    for (int alku = 0; alku < K; alku += KORKEUS) {
        if (tx < KORKEUS)
            lA[ty][tx] = (rivi < M && alku + tx < K) ? A[(size_t)rivi * K + alku + tx] : Luku(0);
        lB[ty][tx] = (alku + ty < K && sarake < N) ? B[(size_t)(alku + ty) * N + sarake] : Luku(0);
        __syncthreads();
        for (int k = 0; k < KORKEUS; ++k)
            summa += lA[ty][k] * lB[k][tx];
        __syncthreads();
    }

    C[(size_t)rivi * N + sarake] = summa;
}

// laitteen osoittimet
void laske(const double *A, const double *B, double *C, int M, int N, int K)
{
    dim3 saikeet(32, 8);
    dim3 lohkot((N + 31) / 32, (M + 7) / 8);
    matriisitulo<double><<<lohkot, saikeet>>>(A, B, C, M, N, K);
}

void laske(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 saikeet(32, 8);
    dim3 lohkot((N + 31) / 32, (M + 7) / 8);
    matriisitulo<float><<<lohkot, saikeet>>>(A, B, C, M, N, K);
}
