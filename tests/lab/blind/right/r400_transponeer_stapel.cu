// Transponeert een stapel matrices: uit[b][k][r] = in[b][r][k]
// in: aantal x rijen x kolommen, uit: aantal x kolommen x rijen, aaneengesloten.
// Beperkingen door het rooster: rijen <= 65535*32 en aantal <= 65535; verder vrij.
#include <cuda_runtime.h>

namespace {
constexpr int TEGEL = 32;
constexpr int STROOK = 8;
}

template <typename Soort>
__global__ void transponeer(Soort *uit, const Soort *in, int rijen, int kolommen)
{
    __shared__ Soort tegel[TEGEL][TEGEL + 1];

    const size_t verschuiving = (size_t)blockIdx.z * rijen * kolommen;
    in  += verschuiving;
    uit += verschuiving;

    int k = blockIdx.x * TEGEL + threadIdx.x;
    int r = blockIdx.y * TEGEL + threadIdx.y;
    for (int s = 0; s < TEGEL; s += STROOK)
        if (k < kolommen && r + s < rijen)
            tegel[threadIdx.y + s][threadIdx.x] = in[(size_t)(r + s) * kolommen + k];

    __syncthreads();

    // nu loopt x langs de rijen van de invoer
    r = blockIdx.y * TEGEL + threadIdx.x;
    k = blockIdx.x * TEGEL + threadIdx.y;
    for (int s = 0; s < TEGEL; s += STROOK)
        if (r < rijen && k + s < kolommen)
            uit[(size_t)(k + s) * rijen + r] = tegel[threadIdx.x][threadIdx.y + s];
}

template <typename Soort>
void transponeerStapel(Soort *uit, const Soort *in, int aantal, int rijen, int kolommen,
                       cudaStream_t stroom = 0)
{
    if (aantal <= 0 || rijen <= 0 || kolommen <= 0) return;
    dim3 blok(TEGEL, STROOK);
    dim3 rooster((kolommen + TEGEL - 1) / TEGEL, (rijen + TEGEL - 1) / TEGEL, aantal);
    transponeer<Soort><<<rooster, blok, 0, stroom>>>(uit, in, rijen, kolommen);
}

template void transponeerStapel<float>(float *, const float *, int, int, int, cudaStream_t);
template void transponeerStapel<double>(double *, const double *, int, int, int, cudaStream_t);
template void transponeerStapel<unsigned char>(unsigned char *, const unsigned char *, int, int, int, cudaStream_t);
