// RMM with p multiplications: first add the two rows of A and the two columns of B,
// then multiply.
//   A is 2h x p,  B is p x 2w,  C is h x w
// launch with 2D blocks (any shape) that cover w in x and h in y

__device__ float rowPair(const float* A, int i, int k, int p)
{
    return A[2 * i * p + k] + A[(2 * i + 1) * p + k];
}

__device__ float colPair(const float2* Bpairs, int k, int j, int w)
{
    // the two neighbouring columns 2j and 2j+1 are one float2
    float2 v = Bpairs[k * w + j];
    return v.x + v.y;
}

__global__ void rmm(float* C, const float* A, const float* B, int h, int p, int w)
{
    const int j = threadIdx.x + blockDim.x * blockIdx.x;
    const int i = threadIdx.y + blockDim.y * blockIdx.y;
    if (i >= h || j >= w) return;

    const float2* Bpairs = (const float2*)B;
    float c = 0.0f;
    for (int k = 0; k < p; ++k)
        c += rowPair(A, i, k, p) * colPair(Bpairs, k, j, w);
    C[i * w + j] = c;
}
