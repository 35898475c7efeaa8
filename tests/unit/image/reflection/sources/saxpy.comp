#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Constants { float a; uint n; };
void main() {
  if (gl_GlobalInvocationID.x < n) y[gl_GlobalInvocationID.x] += a * x[gl_GlobalInvocationID.x];
}
