// Zredukowany iloczyn macierzy (projekt 2)
// C[i][j] = suma po k z (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A: M x K, B: K x N, C: (M/2) x (N/2), zapis wierszami; M i N parzyste, K dowolne.
// Uruchomienie: blok (16, 16), siatka ((N/2 + 15) / 16, (M/2 + 15) / 16)
#include <cuda_runtime.h>

template <typename Liczba>
struct Macierz {
    const Liczba *dane;
    int wiersze;
    int kolumny;
    __device__ Liczba el(int w, int k) const { return dane[(size_t)w * kolumny + k]; }
};

template <typename Liczba, int ROZMIAR>
__device__ void iloczynZredukowany(Macierz<Liczba> A, Macierz<Liczba> B, Liczba *C)
{
    __shared__ Liczba kafelekA[ROZMIAR][ROZMIAR];
    __shared__ Liczba kafelekB[ROZMIAR][ROZMIAR];

    const int wierszeC = A.wiersze / 2;
    const int kolumnyC = B.kolumny / 2;
    const int K = A.kolumny;
    const int w = blockIdx.y * ROZMIAR + threadIdx.y;
    const int k = blockIdx.x * ROZMIAR + threadIdx.x;

    // watki poza macierza wynikowa nie maja nic do roboty
    if (w >= wierszeC || k >= kolumnyC)
        return;

    Liczba wynik = 0;
    for (int p0 = 0; p0 < K; p0 += ROZMIAR) {
        const int pa = p0 + threadIdx.x;
        const int pb = p0 + threadIdx.y;

        if (pa < K)
            kafelekA[threadIdx.y][threadIdx.x] = A.el(2 * w, pa) + A.el(2 * w + 1, pa);
        else
            kafelekA[threadIdx.y][threadIdx.x] = 0;

        if (pb < K)
            kafelekB[threadIdx.y][threadIdx.x] = B.el(pb, 2 * k) + B.el(pb, 2 * k + 1);
        else
            kafelekB[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();
        for (int q = 0; q < ROZMIAR; ++q)
            wynik += kafelekA[threadIdx.y][q] * kafelekB[q][threadIdx.x];
        __syncthreads();
    }

    C[(size_t)w * kolumnyC + k] = wynik;
}

__global__ void zredukowanyFloat(const float *A, const float *B, float *C, int M, int N, int K)
{
    iloczynZredukowany<float, 16>({A, M, K}, {B, K, N}, C);
}

__global__ void zredukowanyDouble(const double *A, const double *B, double *C, int M, int N, int K)
{
    iloczynZredukowany<double, 16>({A, M, K}, {B, K, N}, C);
}
