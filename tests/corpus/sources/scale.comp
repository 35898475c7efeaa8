#version 450
// Push constants of several sizes, and a workgroup size that is fixed.
layout(local_size_x = 64, local_size_y = 2) in;
layout(set = 0, binding = 0) readonly buffer In { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
layout(push_constant) uniform Constants {
  uint n;
  float factor;
  vec4 shift;
};
shared float tile[128];
void main() {
  uint i = gl_GlobalInvocationID.x;
  tile[gl_LocalInvocationIndex] = x[i];
  barrier();
  if (i < n) y[i] = tile[gl_LocalInvocationIndex] * factor + shift.y;
}
