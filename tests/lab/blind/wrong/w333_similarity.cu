// Homework 5: similarity scores S = Q * D^T
// Q holds nq query vectors, D holds nd document vectors, all of length len (row-major).
// S is nq x nd.
#include <iostream>
#include <vector>
#include <cmath>

template <int B>
__global__ void scores(const float *Q, const float *D, float *S, int nq, int nd, int len)
{
    __shared__ float q[B][B + 1];
    __shared__ float d[B][B + 1];

    int query = blockIdx.y * B + threadIdx.y;
    int docTile = blockIdx.x * B;

    float score = 0.0f;
    for (int off = 0; off < len; off += B) {
        int f = off + threadIdx.x;
        int doc = docTile + threadIdx.y;

        q[threadIdx.y][threadIdx.x] = (query < nq && f < len) ? Q[query * len + f] : 0.0f;
        d[threadIdx.y][threadIdx.x] = (doc < nd && f < len) ? D[doc * len + f] : 0.0f;
        __syncthreads();

        for (int i = 0; i < B; ++i)
            score += q[threadIdx.y][i] * d[i][threadIdx.x];
        __syncthreads();
    }

    int doc = docTile + threadIdx.x;
    if (query < nq && doc < nd)
        S[query * nd + doc] = score;
}

int main()
{
    constexpr int B = 16;
    int nq = 30, nd = 100, len = 64;
    std::vector<float> Q(nq * len), D(nd * len), S(nq * nd);
    for (int i = 0; i < nq * len; ++i) Q[i] = std::sin(0.37f * i);
    for (int i = 0; i < nd * len; ++i) D[i] = std::cos(0.11f * i);

    float *dQ, *dD, *dS;
    cudaMalloc(&dQ, Q.size() * sizeof(float));
    cudaMalloc(&dD, D.size() * sizeof(float));
    cudaMalloc(&dS, S.size() * sizeof(float));
    cudaMemcpy(dQ, Q.data(), Q.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dD, D.data(), D.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(B, B);
    dim3 blocks((nd + B - 1) / B, (nq + B - 1) / B);
    scores<B><<<blocks, threads>>>(dQ, dD, dS, nq, nd, len);
    cudaMemcpy(S.data(), dS, S.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < nq; ++i)
        for (int j = 0; j < nd; ++j) {
            float ref = 0;
            for (int k = 0; k < len; ++k)
                ref += Q[i * len + k] * D[j * len + k];
            if (std::fabs(ref - S[i * nd + j]) > 1e-3f)
                ++bad;
        }
    std::cout << bad << " scores differ\n";
    cudaFree(dQ);
    cudaFree(dD);
    cudaFree(dS);
    return bad ? 1 : 0;
}
