__global__ void mul(float *a, float *b, float *c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) c[i] = a[i] * b[i];
}
int main(){ float *a,*b,*c; int n = 1000; mul<<<4, 128>>>(a,b,c,n); }
