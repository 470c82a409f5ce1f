// Practicum GPU-programmeren, opdracht 2b
// Vermenigvuldigen met tegels, tegelgrootte pas bij de start bekend.
#include <iostream>
#include <cmath>
#include <cstdlib>

struct Matrix {
    int rijen;
    int kolommen;
    float *data;
};

__global__ void vermenigvuldig(Matrix A, Matrix B, Matrix C)
{
    extern __shared__ float gedeeld[];
    const int T = blockDim.x;             // vierkante blokken
    float *tegelA = gedeeld;
    float *tegelB = gedeeld + T * T;

    const int rij   = blockIdx.y * T + threadIdx.y;
    const int kolom = blockIdx.x * T + threadIdx.x;
    const int plek  = threadIdx.y * T + threadIdx.x;

    float som = 0.0f;
    for (int start = 0; start < A.kolommen; start += T) {
        const int kA = start + threadIdx.x;
        const int kB = start + threadIdx.y;
        tegelA[plek] = (rij < A.rijen && kA < A.kolommen) ? A.data[rij * A.kolommen + kA] : 0.0f;
        tegelB[plek] = (kB < B.rijen && kolom < B.kolommen) ? B.data[kB * B.kolommen + kolom] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; ++k)
            som += tegelA[threadIdx.y * T + k] * tegelB[k * T + threadIdx.x];
        __syncthreads();
    }
    if (rij < C.rijen && kolom < C.kolommen)
        C.data[rij * C.kolommen + kolom] = som;
}

static Matrix maak(int rijen, int kolommen)
{
    Matrix m{rijen, kolommen, nullptr};
    if (cudaMallocManaged(&m.data, sizeof(float) * rijen * kolommen) != cudaSuccess) {
        std::cerr << "geen geheugen\n";
        std::exit(1);
    }
    for (int i = 0; i < rijen * kolommen; ++i)
        m.data[i] = (i * 31 % 101) / 101.0f;
    return m;
}

int main(int argc, char **argv)
{
    int T = argc > 1 ? std::atoi(argv[1]) : 20;
    if (T < 1 || T > 32) {
        std::cerr << "tegel van 1 tot en met 32\n";
        return 1;
    }
    Matrix A = maak(111, 66);
    Matrix B = maak(66, 83);
    Matrix C = maak(111, 83);

    dim3 blok(T, T);
    dim3 rooster((C.kolommen + T - 1) / T, (C.rijen + T - 1) / T);
    vermenigvuldig<<<rooster, blok, 2 * T * T * sizeof(float)>>>(A, B, C);
    cudaDeviceSynchronize();

    float grootste = 0.0f;
    for (int i = 0; i < C.rijen; ++i)
        for (int j = 0; j < C.kolommen; ++j) {
            float s = 0.0f;
            for (int k = 0; k < A.kolommen; ++k)
                s += A.data[i * A.kolommen + k] * B.data[k * B.kolommen + j];
            grootste = std::fmax(grootste, std::fabs(s - C.data[i * C.kolommen + j]));
        }
    std::cout << "grootste verschil: " << grootste << '\n';
    cudaFree(A.data);
    cudaFree(B.data);
    cudaFree(C.data);
    return grootste > 1e-3f;
}
