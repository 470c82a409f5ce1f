// Matriisitulo C += A * B, kun k on suuri ja m, n pienia.
// Vaihe 1: jokainen siivu (blockIdx.z) laskee oman osatulonsa tyotilaan.
// Vaihe 2: siivut lasketaan yhteen ja lisataan C:hen.
#include <cuda_runtime.h>
#include <cstddef>

namespace {

constexpr int LEV = 32;   // lohkon leveys (saikeet x)
constexpr int KOR = 8;    // lohkon korkeus (saikeet y)

__global__ void osatulo(const double *A, const double *B, double *tyotila,
                        int m, int k, int n, int siivunPituus)
{
    __shared__ double a[KOR][LEV];
    __shared__ double b[LEV][LEV];

    const int rivi = blockIdx.y * KOR + threadIdx.y;
    const int sarake = blockIdx.x * LEV + threadIdx.x;
    const int alku = blockIdx.z * siivunPituus;
    int loppu = alku + siivunPituus;
    if (loppu > k) loppu = k;

    double summa = 0;
    for (int p0 = alku; p0 < loppu; p0 += LEV) {
        int p = p0 + threadIdx.x;
        a[threadIdx.y][threadIdx.x] =
            (rivi < m && p < loppu) ? A[(size_t)rivi * k + p] : 0.0;
        for (int r = threadIdx.y; r < LEV; r += KOR) {
            int q = p0 + r;
            b[r][threadIdx.x] =
                (q < loppu && sarake < n) ? B[(size_t)q * n + sarake] : 0.0;
        }
        __syncthreads();
        for (int r = 0; r < LEV; ++r)
            summa += a[threadIdx.y][r] * b[r][threadIdx.x];
        __syncthreads();
    }

    // kirjoitetaan aina, myos tyhjasta siivusta nolla
    if (rivi < m && sarake < n)
        tyotila[((size_t)blockIdx.z * m + rivi) * n + sarake] = summa;
}

__global__ void yhdista(const double *tyotila, double *C, size_t koko, int siivuja)
{
    size_t askel = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < koko; i += askel) {
        double s = C[i];
        for (int z = 0; z < siivuja; ++z)
            s += tyotila[z * koko + i];
        C[i] = s;
    }
}

}  // namespace

// dA, dB ja dC ovat laitteen muistissa.
cudaError_t lisaaTulo(const double *dA, const double *dB, double *dC,
                      int m, int k, int n)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return cudaSuccess;           // ei lisattavaa

    int siivuja = (k + 255) / 256;
    if (siivuja > 12) siivuja = 12;
    const int pituus = (k + siivuja - 1) / siivuja;
    const size_t koko = (size_t)m * n;

    double *tyotila = nullptr;
    cudaError_t virhe = cudaMalloc(&tyotila, koko * siivuja * sizeof(double));
    if (virhe != cudaSuccess)
        return virhe;

    dim3 lohko(LEV, KOR);
    dim3 ruudukko((n + LEV - 1) / LEV, (m + KOR - 1) / KOR, siivuja);
    osatulo<<<ruudukko, lohko>>>(dA, dB, tyotila, m, k, n, pituus);
    virhe = cudaGetLastError();
    if (virhe == cudaSuccess) {
        size_t lohkoja = (koko + 255) / 256;
        if (lohkoja > 1024) lohkoja = 1024;
        yhdista<<<(unsigned)lohkoja, 256>>>(tyotila, dC, koko, siivuja);
        virhe = cudaGetLastError();
    }
    cudaError_t odotus = cudaDeviceSynchronize();
    cudaFree(tyotila);
    return virhe != cudaSuccess ? virhe : odotus;
}
