// C = A * B^t, con B guardada como N x K
// instanciar p.ej. gemmABt<32><<<dim3((N+31)/32,(M+31)/32), dim3(32,32)>>>(...)
template <int T>
__global__ void gemmABt(const float* __restrict__ A,
                        const float* __restrict__ Bt,
                        float* __restrict__ C,
                        const int M, const int K, const int N)
{
    __shared__ float bloqueA[T][T + 1];
    __shared__ float bloqueB[T][T + 1];

    const int fila = blockIdx.y * T + threadIdx.y;
    const int col = blockIdx.x * T + threadIdx.x;
    // fila de Bt que carga este hilo
    const int filaB = blockIdx.x * T + threadIdx.y;

    float suma = 0.0f;
    for (int paso = 0; paso < (K + T - 1) / T; ++paso) {
        const int k = paso * T + threadIdx.x;
        bloqueA[threadIdx.y][threadIdx.x] = (fila < M && k < K) ? A[fila * K + k] : 0.0f;
        bloqueB[threadIdx.y][threadIdx.x] = (filaB < N && k < K) ? Bt[filaB * K + k] : 0.0f;
        __syncthreads();

        for (int q = 0; q < T; ++q)
            suma += bloqueA[threadIdx.y][q] * bloqueB[threadIdx.x][q];

        __syncthreads();
    }

    if (fila >= M || col >= N) return;
    C[fila * N + col] = suma;
}

template __global__ void gemmABt<16>(const float*, const float*, float*, int, int, int);
template __global__ void gemmABt<32>(const float*, const float*, float*, int, int, int);
