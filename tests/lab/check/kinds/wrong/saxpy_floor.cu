__global__ void saxpy(int n, float a, const float *x, float *y) { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = a*x[i] + y[i]; }
int main(void) { int N = 100000; float *d_x, *d_y;
  int threads = 256;
  saxpy<<<N / threads, threads>>>(N, 2.0f, d_x, d_y); }
