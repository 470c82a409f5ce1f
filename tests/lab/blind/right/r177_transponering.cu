// Transponering av en matris, out = in^T, med en platta i delat minne.
// in: hojd x bredd, out: bredd x hojd.  Godtyckliga storlekar.
// block (32, 8), grid (ceil(bredd/32), ceil(hojd/32))

#define PLATTA 32
#define RADER 8

template <typename Tal>
__global__ void transponera(Tal *out, const Tal *in, int bredd, int hojd)
{
    __shared__ Tal platta[PLATTA][PLATTA + 1];   // +1 mot bankkonflikter

    int x = blockIdx.x * PLATTA + threadIdx.x;
    int y = blockIdx.y * PLATTA + threadIdx.y;
    for (int j = 0; j < PLATTA; j += RADER)
        if (x < bredd && y + j < hojd)
            platta[threadIdx.y + j][threadIdx.x] = in[(y + j) * bredd + x];

    __syncthreads();

    x = blockIdx.y * PLATTA + threadIdx.x;       // byt plats på blocken
    y = blockIdx.x * PLATTA + threadIdx.y;
    for (int j = 0; j < PLATTA; j += RADER)
        if (x < hojd && y + j < bredd)
            out[(y + j) * hojd + x] = platta[threadIdx.x][threadIdx.y + j];
}

template __global__ void transponera<float>(float *, const float *, int, int);
template __global__ void transponera<double>(double *, const double *, int, int);
