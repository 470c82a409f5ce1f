// S = Q * K^T with Q: nq x d, Kmat: nk x d, S: nq x nk    (all row major)
// threads: (TB, TB), blocks: ((nk + TB - 1)/TB, (nq + TB - 1)/TB)

template <int TB>
__global__ void scores(const float *Q, const float *Kmat, float *S, int nq, int nk, int d)
{
    __shared__ float q[TB][TB];
    __shared__ float kt[TB][TB];

    int iq = blockIdx.y * TB + threadIdx.y;
    int ik = blockIdx.x * TB + threadIdx.x;
    int ikLoad = blockIdx.x * TB + threadIdx.y;

    float s = 0.f;
    for (int d0 = 0; d0 < d; d0 += TB) {
        int e = d0 + threadIdx.x;
        q[threadIdx.y][threadIdx.x]  = (iq < nq && e < d) ? Q[iq * d + e] : 0.f;
        kt[threadIdx.y][threadIdx.x] = (ikLoad < nk && e < d) ? Kmat[ikLoad * d + e] : 0.f;
        __syncthreads();

        for (int f = 0; f < TB; f++)
            s += q[threadIdx.y][f] * kt[f][threadIdx.x];
        __syncthreads();
    }

    if (iq < nq && ik < nk)
        S[iq * nk + ik] = s;
}

template __global__ void scores<16>(const float *, const float *, float *, int, int, int);
template __global__ void scores<32>(const float *, const float *, float *, int, int, int);
