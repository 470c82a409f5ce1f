// Kernels that follow each other closely (programmatic dependent launch): the next one starts while this one ends.
//
// Without it a launch waits until the kernel before has ended and its results are in memory. With it the next kernel's
// blocks start as soon as there is room, set themselves up, and wait for those results themselves.
// Source: PTX ISA, "Parallel synchronization and communication instructions: griddepcontrol".
#pragma once

// The kernel before this one in the stream may still be running (programmatic dependent launch): wait for its results.
__device__ __forceinline__ void wait_for_previous_kernel()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

// The next kernel's blocks may take the places that this kernel's blocks leave; it waits itself for our results.
__device__ __forceinline__ void let_next_kernel_start()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
