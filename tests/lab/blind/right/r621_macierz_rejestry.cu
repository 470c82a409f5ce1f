// Mnożenie macierzy z blokowaniem w rejestrach (zadanie 7, wersja C++)
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

static void sprawdz(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

class Macierz {
    int w_, k_;
    float* d_ = nullptr;
public:
    Macierz(int wiersze, int kolumny) : w_(wiersze), k_(kolumny)
    {
        sprawdz(cudaMalloc(&d_, bajty()));
    }
    Macierz(const Macierz&) = delete;
    Macierz& operator=(const Macierz&) = delete;
    ~Macierz() { cudaFree(d_); }

    int wiersze() const { return w_; }
    int kolumny() const { return k_; }
    std::size_t bajty() const { return sizeof(float) * static_cast<std::size_t>(w_) * k_; }
    float* dane() { return d_; }
    const float* dane() const { return d_; }
    void wgraj(const std::vector<float>& h)
    {
        sprawdz(cudaMemcpy(d_, h.data(), bajty(), cudaMemcpyHostToDevice));
    }
    std::vector<float> pobierz() const
    {
        std::vector<float> h(static_cast<std::size_t>(w_) * k_);
        sprawdz(cudaMemcpy(h.data(), d_, bajty(), cudaMemcpyDeviceToHost));
        return h;
    }
};

template <int BM, int BN, int BK, int TM, int TN>
__global__ void iloczyn(const float* __restrict__ A, const float* __restrict__ B,
                        float* __restrict__ C, int M, int N, int K)
{
    constexpr int PX = BN / TN;
    constexpr int PY = BM / TM;
    constexpr int WATKI = PX * PY;
    static_assert(BN % TN == 0 && BM % TM == 0, "zly podzial");

    __shared__ float As[BK][BM + 1];
    __shared__ float Bs[BK][BN];

    const int t = threadIdx.x;
    const int px = t % PX;
    const int py = t / PX;
    const int wiersz0 = blockIdx.y * BM;
    const int kolumna0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = t; e < BM * BK; e += WATKI) {
            const int r = e / BK, k = e % BK;
            const bool ok = wiersz0 + r < M && k0 + k < K;
            As[k][r] = ok ? A[static_cast<size_t>(wiersz0 + r) * K + k0 + k] : 0.f;
        }
        for (int e = t; e < BK * BN; e += WATKI) {
            const int k = e / BN, c = e % BN;
            const bool ok = k0 + k < K && kolumna0 + c < N;
            Bs[k][c] = ok ? B[static_cast<size_t>(k0 + k) * N + kolumna0 + c] : 0.f;
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][py * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][px + j * PX];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int w = wiersz0 + py * TM + i;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int c = kolumna0 + px + j * PX;
            if (w < M && c < N) C[static_cast<size_t>(w) * N + c] = acc[i][j];
        }
    }
}

void pomnoz(const Macierz& A, const Macierz& B, Macierz& C)
{
    if (A.kolumny() != B.wiersze() || C.wiersze() != A.wiersze() || C.kolumny() != B.kolumny())
        throw std::invalid_argument("niezgodne wymiary");
    constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
    const int M = A.wiersze(), N = B.kolumny(), K = A.kolumny();
    const dim3 siatka((N + BN - 1) / BN, (M + BM - 1) / BM);
    iloczyn<BM, BN, BK, TM, TN><<<siatka, (BM / TM) * (BN / TN)>>>(A.dane(), B.dane(), C.dane(), M, N, K);
    sprawdz(cudaGetLastError());
}

int main()
{
    try {
        const int M = 150, K = 83, N = 97;
        std::vector<float> a(M * K), b(K * N);
        for (int i = 0; i < M * K; ++i) a[i] = 0.25f * (i % 9) - 1.f;
        for (int i = 0; i < K * N; ++i) b[i] = 0.5f * (i % 5) - 0.75f;
        Macierz A(M, K), B(K, N), C(M, N);
        A.wgraj(a);
        B.wgraj(b);
        pomnoz(A, B, C);
        const std::vector<float> c = C.pobierz();
        double maks = 0;
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                double s = 0;
                for (int k = 0; k < K; ++k) s += double(a[i * K + k]) * b[k * N + j];
                maks = std::fmax(maks, std::fabs(s - c[i * N + j]));
            }
        std::printf("najwiekszy blad: %g\n", maks);
        return maks < 1e-3 ? 0 : 1;
    } catch (const std::exception& w) {
        std::fprintf(stderr, "blad: %s\n", w.what());
        return 2;
    }
}
