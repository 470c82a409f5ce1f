// y = A x. Matriisissa A on "rivit" riviä ja "sarakkeet" saraketta, rivijärjestys.
// Yhden rivin laskee 16 säikeen ryhmä. Mitat 1 ... 40000.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

constexpr int SAIKEITA = 128;
constexpr int RYHMA = 16;

struct Tehtava {
    const double* A;
    const double* x;
    double* y;
    int rivit, sarakkeet;
};

__global__ void kerro(Tehtava t)
{
    auto lohko = cg::this_thread_block();
    auto ryhma = cg::tiled_partition<RYHMA>(lohko);
    const int rivi = blockIdx.x * (SAIKEITA / RYHMA) + lohko.thread_rank() / RYHMA;
    if (rivi >= t.rivit) return;

    const double* a = t.A + (size_t)rivi * t.sarakkeet;
    double s = 0.0;
    for (int k = ryhma.thread_rank(); k < t.sarakkeet; k += RYHMA)
        s += a[k] * t.x[k];
    for (int d = RYHMA / 2; d > 0; d /= 2)
        s += ryhma.shfl_down(s, d);
    if (ryhma.thread_rank() == 0)
        t.y[rivi] = s;
}

void laske(const Tehtava& t)
{
    const int lohkoja = (t.rivit + SAIKEITA - 1) / SAIKEITA;
    kerro<<<lohkoja, SAIKEITA>>>(t);
}

int main()
{
    const int r = 333, c = 1000;
    std::vector<double> A(r * c), x(c), y(r, 0.0);
    for (int i = 0; i < r * c; ++i) A[i] = i % 19 - 9;
    for (int i = 0; i < c; ++i) x[i] = i % 4;

    double *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMalloc(&dy, y.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);

    laske({dA, dx, dy, r, c});
    cudaMemcpy(y.data(), dy, y.size() * sizeof(double), cudaMemcpyDeviceToHost);

    int vaarin = 0;
    for (int i = 0; i < r; ++i) {
        double s = 0.0;
        for (int k = 0; k < c; ++k) s += A[i * c + k] * x[k];
        vaarin += (s != y[i]);
    }
    std::printf("väärin: %d\n", vaarin);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
}
