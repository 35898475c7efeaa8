// A size that nothing changes, and that the code is made for: as MLIR, IREE, naga and Tint write it.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { float values[]; };
void main() { values[gl_WorkGroupID.x * 64u + gl_LocalInvocationID.x] += 1.0; }
