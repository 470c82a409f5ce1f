// Name: Roll no 21CS1043   Subject: GPU Programming Lab
// Aim: To multiply two matrices of any order using shared memory
//      A is (ra x ca), B is (ca x cb), C is (ra x cb)
#include <iostream>
#include <cstdlib>
#include <cuda_runtime.h>
using namespace std;

#define W 16

__global__ void mat_mul(float *A, float *B, float *C, int ra, int ca, int cb)
{
    __shared__ float a_sh[W][W];
    __shared__ float b_sh[W][W];

    int r = blockIdx.y * W + threadIdx.y;
    int c = blockIdx.x * W + threadIdx.x;

    // extra threads have no work
    if (r >= ra || c >= cb)
        return;

    float ans = 0;
    for (int p = 0; p < (ca + W - 1) / W; p++)
    {
        // loading A
        if (p * W + threadIdx.x < ca)
            a_sh[threadIdx.y][threadIdx.x] = A[r * ca + p * W + threadIdx.x];
        else
            a_sh[threadIdx.y][threadIdx.x] = 0;

        // loading B
        if (p * W + threadIdx.y < ca)
            b_sh[threadIdx.y][threadIdx.x] = B[(p * W + threadIdx.y) * cb + c];
        else
            b_sh[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();

        for (int q = 0; q < W; q++)
            ans = ans + a_sh[threadIdx.y][q] * b_sh[q][threadIdx.x];

        __syncthreads();
    }
    C[r * cb + c] = ans;
}

int main()
{
    int ra, ca, cb;
    cout << "Enter rows of A, columns of A, columns of B: ";
    cin >> ra >> ca >> cb;

    float *A = new float[ra * ca];
    float *B = new float[ca * cb];
    float *C = new float[ra * cb];
    for (int i = 0; i < ra * ca; i++) A[i] = rand() % 10;
    for (int i = 0; i < ca * cb; i++) B[i] = rand() % 10;

    float *d_A, *d_B, *d_C;
    cudaMalloc((void **)&d_A, ra * ca * sizeof(float));
    cudaMalloc((void **)&d_B, ca * cb * sizeof(float));
    cudaMalloc((void **)&d_C, ra * cb * sizeof(float));
    cudaMemcpy(d_A, A, ra * ca * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_B, B, ca * cb * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(W, W);
    dim3 blocks((cb + W - 1) / W, (ra + W - 1) / W);
    mat_mul<<<blocks, threads>>>(d_A, d_B, d_C, ra, ca, cb);

    cudaMemcpy(C, d_C, ra * cb * sizeof(float), cudaMemcpyDeviceToHost);

    for (int i = 0; i < ra && i < 5; i++)
    {
        for (int j = 0; j < cb && j < 5; j++)
            cout << C[i * cb + j] << "\t";
        cout << endl;
    }

    cudaFree(d_A);
    cudaFree(d_B);
    cudaFree(d_C);
    delete[] A;
    delete[] B;
    delete[] C;
    return 0;
}
