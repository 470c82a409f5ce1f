#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CONTROLLA(chiamata)                                                   \
    do {                                                                      \
        cudaError_t esito_ = (chiamata);                                      \
        if (esito_ != cudaSuccess) {                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                \
                    cudaGetErrorString(esito_));                              \
            exit(EXIT_FAILURE);                                               \
        }                                                                     \
    } while (0)

// righe x interno  per  interno x colonne, dimensioni qualsiasi (meno di 2^31 elementi a matrice)
template <typename Tipo, int LATO>
__global__ void prodotto(const Tipo *__restrict__ a, const Tipo *__restrict__ b,
                         Tipo *__restrict__ c, int righe, int interno, int colonne)
{
    __shared__ Tipo pezzoA[LATO][LATO];
    __shared__ Tipo pezzoB[LATO][LATO + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int riga = blockIdx.y * LATO + ty;
    const int colonna = blockIdx.x * LATO + tx;

    Tipo somma = Tipo(0);
    for (int base = 0; base < interno; base += LATO) {
        pezzoA[ty][tx] = (riga < righe && base + tx < interno)
                             ? a[riga * interno + base + tx] : Tipo(0);
        pezzoB[ty][tx] = (base + ty < interno && colonna < colonne)
                             ? b[(base + ty) * colonne + colonna] : Tipo(0);
        __syncthreads();

#pragma unroll
        for (int q = 0; q < LATO; ++q)
            somma += pezzoA[ty][q] * pezzoB[q][tx];
        __syncthreads();
    }

    if (riga < righe && colonna < colonne)
        c[riga * colonne + colonna] = somma;
}

template <typename Tipo, int LATO>
void moltiplica(const std::vector<Tipo> &a, const std::vector<Tipo> &b, std::vector<Tipo> &c,
                int righe, int interno, int colonne)
{
    Tipo *da, *db, *dc;
    CONTROLLA(cudaMalloc(&da, a.size() * sizeof(Tipo)));
    CONTROLLA(cudaMalloc(&db, b.size() * sizeof(Tipo)));
    CONTROLLA(cudaMalloc(&dc, c.size() * sizeof(Tipo)));
    CONTROLLA(cudaMemcpy(da, a.data(), a.size() * sizeof(Tipo), cudaMemcpyHostToDevice));
    CONTROLLA(cudaMemcpy(db, b.data(), b.size() * sizeof(Tipo), cudaMemcpyHostToDevice));

    dim3 blocco(LATO, LATO);
    dim3 griglia((colonne + LATO - 1) / LATO, (righe + LATO - 1) / LATO);
    prodotto<Tipo, LATO><<<griglia, blocco>>>(da, db, dc, righe, interno, colonne);
    CONTROLLA(cudaGetLastError());
    CONTROLLA(cudaMemcpy(c.data(), dc, c.size() * sizeof(Tipo), cudaMemcpyDeviceToHost));
    CONTROLLA(cudaFree(da));
    CONTROLLA(cudaFree(db));
    CONTROLLA(cudaFree(dc));
}

int main()
{
    const int righe = 91, interno = 203, colonne = 70;
    std::vector<float> a(righe * interno), b(interno * colonne), c(righe * colonne);
    for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 13) - 6.0f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 7) * 0.5f;

    moltiplica<float, 16>(a, b, c, righe, interno, colonne);

    double scarto = 0;
    for (int i = 0; i < righe; ++i)
        for (int j = 0; j < colonne; ++j) {
            double giusto = 0;
            for (int q = 0; q < interno; ++q)
                giusto += double(a[i * interno + q]) * b[q * colonne + j];
            scarto = fmax(scarto, fabs(giusto - c[i * colonne + j]));
        }
    printf("scarto massimo: %g\n", scarto);
    return scarto < 1e-2 ? 0 : 1;
}
