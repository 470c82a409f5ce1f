// Лабораторная работа №4. Умножение матриц, прямоугольный блок 32x8.
// Размеры любые положительные, строк не больше 500 тысяч.
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>
#include <iostream>
#include <stdexcept>
#include <cmath>

inline void proverit(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// матрица в памяти видеокарты
class Matrica {
public:
    Matrica(int strok, int stolbcov) : strok_(strok), stolbcov_(stolbcov)
    {
        proverit(cudaMalloc(&p_, razmer() * sizeof(double)));
    }
    ~Matrica() { cudaFree(p_); }
    Matrica(const Matrica&) = delete;
    Matrica& operator=(const Matrica&) = delete;

    void zagruzit(const std::vector<double>& v)
    {
        if (v.size() != razmer()) throw std::invalid_argument("размер не совпадает");
        proverit(cudaMemcpy(p_, v.data(), razmer() * sizeof(double), cudaMemcpyHostToDevice));
    }
    std::vector<double> vygruzit() const
    {
        std::vector<double> v(razmer());
        proverit(cudaMemcpy(v.data(), p_, razmer() * sizeof(double), cudaMemcpyDeviceToHost));
        return v;
    }
    size_t razmer() const { return (size_t)strok_ * stolbcov_; }
    int strok() const { return strok_; }
    int stolbcov() const { return stolbcov_; }
    double* dannye() { return p_; }
    const double* dannye() const { return p_; }

private:
    int strok_, stolbcov_;
    double* p_ = nullptr;
};

const int SHIR = 32;   // ширина блока
const int VYS  = 8;    // высота блока и глубина шага по k

__global__ void umnozhit(const double* a, const double* b, double* c, int m, int n, int k)
{
    __shared__ double ta[VYS][VYS];
    __shared__ double tb[VYS][SHIR];

    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * VYS + y;
    int j = blockIdx.x * SHIR + x;
    double s = 0;

    for (int k0 = 0; k0 < k; k0 += VYS) {
        // левый фрагмент узкий: его читают только первые 8 нитей строки
        if (x < VYS)
            ta[y][x] = (i < m && k0 + x < k) ? a[(size_t)i * k + k0 + x] : 0.0;
        tb[y][x] = (k0 + y < k && j < n) ? b[(size_t)(k0 + y) * n + j] : 0.0;
        __syncthreads();

        for (int q = 0; q < VYS; ++q)
            s += ta[y][q] * tb[q][x];
        __syncthreads();
    }
    if (i < m && j < n)
        c[(size_t)i * n + j] = s;
}

void proizvedenie(const Matrica& a, const Matrica& b, Matrica& c)
{
    if (a.stolbcov() != b.strok() || c.strok() != a.strok() || c.stolbcov() != b.stolbcov())
        throw std::invalid_argument("несовместимые размеры");
    dim3 blok(SHIR, VYS);
    dim3 setka((c.stolbcov() + SHIR - 1) / SHIR, (c.strok() + VYS - 1) / VYS);
    umnozhit<<<setka, blok>>>(a.dannye(), b.dannye(), c.dannye(),
                              c.strok(), c.stolbcov(), a.stolbcov());
    proverit(cudaGetLastError());
    proverit(cudaDeviceSynchronize());
}

int main()
{
    const int m = 45, n = 101, k = 63;
    std::vector<double> ha(m * k), hb(k * n);
    for (size_t t = 0; t < ha.size(); ++t) ha[t] = std::sin(0.1 * t);
    for (size_t t = 0; t < hb.size(); ++t) hb[t] = std::cos(0.2 * t);

    Matrica a(m, k), b(k, n), c(m, n);
    a.zagruzit(ha);
    b.zagruzit(hb);
    proizvedenie(a, b, c);
    std::vector<double> hc = c.vygruzit();

    double maxo = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int q = 0; q < k; ++q) s += ha[i * k + q] * hb[q * n + j];
            maxo = std::max(maxo, std::fabs(s - hc[i * n + j]));
        }
    std::cout << "наибольшая ошибка " << maxo << "\n";
    return maxo < 1e-9 ? 0 : 1;
}
