// lab 1 part c: y = A*x,  4 rows per block, 64 threads on each row
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TX 64
#define TY 4

__global__ void gemv(double* A,double* x,double* y,int rows,int cols)
{
  __shared__ double part[TY][TX];
  int tx=threadIdx.x, ty=threadIdx.y;
  int r=blockIdx.x*TY+ty;

  double s=0;
  if(r<rows)
    for(int c=tx;c<cols;c+=TX)
      s+=A[(size_t)r*cols+c]*x[c];
  part[ty][tx]=s;      // rows outside just put 0 so everybody reaches the barrier
  __syncthreads();

  for(int h=TX/2;h>=1;h/=2){
    if(tx<h) part[ty][tx]+=part[ty][tx+h];
    __syncthreads();
  }
  if(tx==0 && r<rows) y[r]=part[ty][0];
}

int main(int argc,char**argv)
{
  int rows=1001,cols=777;
  if(argc>2){rows=atoi(argv[1]);cols=atoi(argv[2]);}
  if(rows<1||cols<1){printf("usage: gemv rows cols\n");return 1;}

  double *A=(double*)malloc(sizeof(double)*rows*cols);
  double *x=(double*)malloc(sizeof(double)*cols);
  double *y=(double*)malloc(sizeof(double)*rows);
  for(size_t i=0;i<(size_t)rows*cols;i++) A[i]=(rand()%100)/50.0-1;
  for(int i=0;i<cols;i++) x[i]=(rand()%100)/50.0-1;

  double *dA,*dx,*dy;
  cudaMalloc((void**)&dA,sizeof(double)*rows*cols);
  cudaMalloc((void**)&dx,sizeof(double)*cols);
  cudaMalloc((void**)&dy,sizeof(double)*rows);
  cudaMemcpy(dA,A,sizeof(double)*rows*cols,cudaMemcpyHostToDevice);
  cudaMemcpy(dx,x,sizeof(double)*cols,cudaMemcpyHostToDevice);

  dim3 b(TX,TY);
  int g=(rows+TY-1)/TY;
  gemv<<<g,b>>>(dA,dx,dy,rows,cols);
  cudaMemcpy(y,dy,sizeof(double)*rows,cudaMemcpyDeviceToHost);
  printf("%s\n",cudaGetErrorString(cudaGetLastError()));

  int bad=0;
  for(int i=0;i<rows;i++){
    double s=0;
    for(int j=0;j<cols;j++) s+=A[(size_t)i*cols+j]*x[j];
    if(fabs(s-y[i])>1e-9*cols) bad++;
  }
  printf("%d wrong rows\n",bad);
  cudaFree(dA);cudaFree(dx);cudaFree(dy);
  free(A);free(x);free(y);
  return bad!=0;
}
