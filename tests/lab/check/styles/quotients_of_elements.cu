__global__ void divide(float *a, float *b, float *c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) c[i] = a[i] / (b[i] * b[i] + 1);
}
int main(){ float *a,*b,*c; int n = 1000; divide<<<4, 128>>>(a,b,c,n); }
