/*
  y = alpha * A^T * x   (equivalente a DGEMV com TRANS='T')

  A(m,n) guardada por COLUNAS como no Fortran, dimensao principal lda >= m.
  Um bloco por coluna; a coluna e' contigua, entao a leitura e' coalescida.

  Chamada:
     gemv_t<T, NT><<<n, NT>>>(m, n, alpha, dA, lda, dx, dy);
  com NT = 64, 128, 256 ou 512 e T = float ou double.
*/

template <typename T, int NT>
__global__ void gemv_t(int m, int n, T alpha, const T *A, int lda, const T *x, T *y)
{
    __shared__ T buf[NT];

    const int j   = blockIdx.x;
    const int tid = threadIdx.x;
    const T *coluna = A + (size_t)j * lda;

    T soma = T(0);
    for (int i = tid; i < m; i += NT)
        soma += coluna[i] * x[i];
    buf[tid] = soma;
    __syncthreads();

    if (NT >= 512) { if (tid < 256) buf[tid] += buf[tid + 256]; __syncthreads(); }
    if (NT >= 256) { if (tid < 128) buf[tid] += buf[tid + 128]; __syncthreads(); }
    if (NT >= 128) { if (tid <  64) buf[tid] += buf[tid +  64]; __syncthreads(); }

    // daqui em diante so' o primeiro warp, com shuffle
    if (tid < 32) {
        T v = buf[tid] + buf[tid + 32];
        for (int d = 16; d >= 1; d >>= 1)
            v += __shfl_xor_sync(0xFFFFFFFF, v, d);
        if (tid == 0)
            y[j] = alpha * v;
    }
}

// instanciacoes usadas pelo nosso programa
template __global__ void gemv_t<double, 256>(int, int, double, const double *, int, const double *, double *);
template __global__ void gemv_t<float, 128>(int, int, float, const float *, int, const float *, float *);
