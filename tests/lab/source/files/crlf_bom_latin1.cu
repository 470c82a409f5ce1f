// CRLF line ends, a byte order mark, and Latin-1 in a comment: Größe
#include <stdio.h>
#include <windows.h>

const int N = 100; // Anzahl

__global__ void scale(float *x, float s)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x; \
    if (i < N)
        x[i] *= s;
}

int main(void)
{
    printf("café\n");
    scale<<<1, 128>>>(0, 2.0f);
    return 0;
}
