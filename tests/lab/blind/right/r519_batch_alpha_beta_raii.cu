// Zadanie 5: mnożenie serii małych macierzy, C_b = alpha * A_b * B_b + beta * C_b
// Każda macierz leży w pamięci jedna za drugą (wierszami).
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <vector>

inline void sprawdz(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(e));
}

// Pamięć karty zwalniana automatycznie.
class Bufor {
public:
    explicit Bufor(const std::vector<float>& zrodlo) : n_(zrodlo.size())
    {
        sprawdz(cudaMalloc(&p_, n_ * sizeof(float)));
        sprawdz(cudaMemcpy(p_, zrodlo.data(), n_ * sizeof(float), cudaMemcpyHostToDevice));
    }
    ~Bufor() { cudaFree(p_); }
    Bufor(const Bufor&) = delete;
    Bufor& operator=(const Bufor&) = delete;
    float* ptr() { return p_; }
    void pobierz(std::vector<float>& cel) const
    {
        sprawdz(cudaMemcpy(cel.data(), p_, n_ * sizeof(float), cudaMemcpyDeviceToHost));
    }
private:
    float* p_ = nullptr;
    size_t n_ = 0;
};

// Blok 32 x 8 liczy kafelek 8 wierszy x 32 kolumny, krok po K wynosi 8.
constexpr int BX = 32, BY = 8, BK = 8;

__global__ void gemm_seria(const float* A, const float* B, float* C,
                           int m, int n, int k, float alpha, float beta)
{
    __shared__ float ta[BY][BK];
    __shared__ float tb[BK][BX];

    const int b = blockIdx.z;
    A += (size_t)b * m * k;
    B += (size_t)b * k * n;
    C += (size_t)b * m * n;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int wiersz = blockIdx.y * BY + ty;
    const int kolumna = blockIdx.x * BX + tx;
    float suma = 0.0f;

    for (int k0 = 0; k0 < k; k0 += BK) {
        if (tx < BK)    // tylko 64 wątki ładują mały kafelek A
            ta[ty][tx] = (wiersz < m && k0 + tx < k) ? A[wiersz * k + k0 + tx] : 0.0f;
        tb[ty][tx] = (k0 + ty < k && kolumna < n) ? B[(k0 + ty) * n + kolumna] : 0.0f;
        __syncthreads();

        for (int q = 0; q < BK; ++q)
            suma += ta[ty][q] * tb[q][tx];
        __syncthreads();
    }

    if (wiersz < m && kolumna < n) {
        float& c = C[wiersz * n + kolumna];
        c = alpha * suma + beta * c;
    }
}

void mnozSerie(const std::vector<float>& A, const std::vector<float>& B, std::vector<float>& C,
               int m, int n, int k, int ile, float alpha, float beta)
{
    if (m <= 0 || n <= 0 || k <= 0 || ile <= 0 || ile > 65535)
        throw std::invalid_argument("zle wymiary");
    if (A.size() != (size_t)ile * m * k || B.size() != (size_t)ile * k * n ||
        C.size() != (size_t)ile * m * n)
        throw std::invalid_argument("zle rozmiary wektorow");

    Bufor dA(A), dB(B), dC(C);
    dim3 watki(BX, BY);
    dim3 siatka((n + BX - 1) / BX, (m + BY - 1) / BY, ile);
    gemm_seria<<<siatka, watki>>>(dA.ptr(), dB.ptr(), dC.ptr(), m, n, k, alpha, beta);
    sprawdz(cudaGetLastError());
    sprawdz(cudaDeviceSynchronize());
    dC.pobierz(C);
}
