// Harjoitus 2: matriisin transpoosi jaetun muistin kautta
// Tulos: ulos[s][r] = sisaan[r][s]; koot ovat vapaat.
#include <cstdio>
#include <vector>

template <typename T, int LAATTA, int RIVIT>
__global__ void transponoi(const T *sisaan, T *ulos, int riveja, int sarakkeita)
{
    // ylimaarainen sarake estaa pankkikonfliktit
    __shared__ T laatta[LAATTA][LAATTA + 1];

    int x = blockIdx.x * LAATTA + threadIdx.x;   // sarake lahteessa
    int y = blockIdx.y * LAATTA + threadIdx.y;   // rivi lahteessa
    for (int d = 0; d < LAATTA; d += RIVIT)
        if (x < sarakkeita && y + d < riveja)
            laatta[threadIdx.y + d][threadIdx.x] = sisaan[(y + d) * sarakkeita + x];

    __syncthreads();

    x = blockIdx.y * LAATTA + threadIdx.x;       // sarake kohteessa
    y = blockIdx.x * LAATTA + threadIdx.y;       // rivi kohteessa
    for (int d = 0; d < LAATTA; d += RIVIT)
        if (x < riveja && y + d < sarakkeita)
            ulos[(y + d) * riveja + x] = laatta[threadIdx.x][threadIdx.y + d];
}

template <typename T, int LAATTA, int RIVIT>
bool kokeile(int riveja, int sarakkeita)
{
    static_assert(LAATTA % RIVIT == 0, "RIVIT jakaa LAATTA:n");
    const size_t lkm = size_t(riveja) * sarakkeita;
    std::vector<T> a(lkm), b(lkm);
    for (size_t i = 0; i < lkm; ++i) a[i] = T(i);

    T *da, *db;
    cudaMalloc(&da, lkm * sizeof(T));
    cudaMalloc(&db, lkm * sizeof(T));
    cudaMemcpy(da, a.data(), lkm * sizeof(T), cudaMemcpyHostToDevice);

    dim3 lohko(LAATTA, RIVIT);
    dim3 verkko((sarakkeita + LAATTA - 1) / LAATTA, (riveja + LAATTA - 1) / LAATTA);
    transponoi<T, LAATTA, RIVIT><<<verkko, lohko>>>(da, db, riveja, sarakkeita);

    cudaMemcpy(b.data(), db, lkm * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);

    for (int r = 0; r < riveja; ++r)
        for (int s = 0; s < sarakkeita; ++s)
            if (b[size_t(s) * riveja + r] != a[size_t(r) * sarakkeita + s]) return false;
    return true;
}

int main()
{
    bool ok = kokeile<int, 32, 8>(100, 37);
    ok = kokeile<double, 16, 16>(16, 200) && ok;
    ok = kokeile<float, 32, 4>(65, 64) && ok;
    std::printf(ok ? "oikein\n" : "VIRHE\n");
    return !ok;
}
