// 3. hazi feladat: matrixszorzas osztott memoriaval, sablonnal
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

template <typename Szam, int CSEMPE>
__global__ void szorzas(const Szam *A, const Szam *B, Szam *C, int sorok, int belso, int oszlopok)
{
    __shared__ Szam csA[CSEMPE][CSEMPE];
    __shared__ Szam csB[CSEMPE][CSEMPE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int sor = blockIdx.y * CSEMPE + y;
    int oszlop = blockIdx.x * CSEMPE + x;
    Szam osszeg = Szam(0);

    for (int lepes = 0; lepes < (belso + CSEMPE - 1) / CSEMPE; lepes++) {
        int ka = lepes * CSEMPE + x;
        int kb = lepes * CSEMPE + y;
        csA[y][x] = sor < sorok && ka < belso ? A[sor * belso + ka] : Szam(0);
        csB[y][x] = kb < belso && oszlop < oszlopok ? B[kb * oszlopok + oszlop] : Szam(0);
        __syncthreads();

        for (int k = 0; k < CSEMPE; k++)
            osszeg += csA[y][k] * csB[k][x];
    }

    if (sor < sorok && oszlop < oszlopok)
        C[sor * oszlopok + oszlop] = osszeg;
}

int main()
{
    const int sorok = 96, belso = 160, oszlopok = 112;
    std::vector<float> A(sorok * belso), B(belso * oszlopok), C(sorok * oszlopok);
    for (auto &v : A) v = (rand() % 200 - 100) / 10.0f;
    for (auto &v : B) v = (rand() % 200 - 100) / 10.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 szalak(16, 16);
    dim3 blokkok((oszlopok + 15) / 16, (sorok + 15) / 16);
    szorzas<float, 16><<<blokkok, szalak>>>(dA, dB, dC, sorok, belso, oszlopok);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int hiba = 0;
    for (int i = 0; i < sorok; i++)
        for (int j = 0; j < oszlopok; j++) {
            double s = 0.0;
            for (int k = 0; k < belso; k++)
                s += (double)A[i * belso + k] * B[k * oszlopok + j];
            if (std::fabs(s - C[i * oszlopok + j]) > 0.05)
                hiba++;
        }
    std::printf("hibas elemek: %d\n", hiba);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return hiba > 0;
}
