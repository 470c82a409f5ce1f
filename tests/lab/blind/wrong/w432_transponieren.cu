#include <cuda_runtime.h>

// Transponiert eine Matrix mit `zeilen` Zeilen und `spalten` Spalten:
//   nach[x][y] = von[y][x]
// Block: 16 x 16, beliebige Groessen von 1 bis 40000

template <class T>
__global__ void transponiere(const T *von, T *nach, int zeilen, int spalten)
{
    __shared__ T platz[16][17];

    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    if (x < spalten && y < zeilen)
        platz[threadIdx.y][threadIdx.x] = von[y * spalten + x];

    __syncthreads();

    int xNeu = blockIdx.y * 16 + threadIdx.x;
    int yNeu = blockIdx.x * 16 + threadIdx.y;
    if (xNeu < spalten && yNeu < zeilen)
        nach[yNeu * zeilen + xNeu] = platz[threadIdx.x][threadIdx.y];
}

template <class T>
cudaError_t transponiereMatrix(const T *von, T *nach, int zeilen, int spalten)
{
    dim3 bloecke((spalten + 15) / 16, (zeilen + 15) / 16);
    transponiere<T><<<bloecke, dim3(16, 16)>>>(von, nach, zeilen, spalten);
    return cudaDeviceSynchronize();
}

template cudaError_t transponiereMatrix<float>(const float *, float *, int, int);
template cudaError_t transponiereMatrix<short>(const short *, short *, int, int);
