// Elementvis: Y = max(0, X + b), b har ett element per kolonne.
// Matrisene har radavstand (pitch) regnet i elementer.
//
// kjores slik:
//   dim3 blokk(32, 4);
//   dim3 rutenett((X.bredde + 31) / 32, (X.hoyde + 15) / 16);
//   leggTilBias<<<rutenett, blokk>>>(X, b, Y);
// Hver trad tar fire rader.

struct Flate {
    int hoyde, bredde, avstand;
    float *celle;
};

__device__ inline float *plass(const Flate &f, int rad, int kol)
{
    return f.celle + (size_t)rad * f.avstand + kol;
}

__global__ void leggTilBias(const Flate X, const float *b, Flate Y)
{
    const int kol = blockIdx.x * blockDim.x + threadIdx.x;
    if (kol >= X.bredde)
        return;

    const float bias = b[kol];
    int rad = blockIdx.y * (4 * blockDim.y) + threadIdx.y;
    for (int i = 0; i < 4; i++, rad += blockDim.y) {
        if (rad >= X.hoyde)
            break;
        float v = *plass(X, rad, kol) + bias;
        *plass(Y, rad, kol) = v > 0.0f ? v : 0.0f;
    }
}
