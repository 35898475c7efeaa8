// Calls functions that OpenCL's library has, which is not linked.
ulong get_global_id(uint dimension);

kernel void unresolved(global float* x) { x[get_global_id(0)] = 1; }
