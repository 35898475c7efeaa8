#version 450
// What dispatches choose, as halyard-kernels writes it; and a constant that they do not.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint hal_size_x = 64;
layout(constant_id = 1) const uint hal_size_y = 1;
layout(constant_id = 2) const uint hal_size_z = 1;
layout(constant_id = 3) const uint hal_dynamic_local_memory = 16;
layout(constant_id = 4) const uint scale = 2;
#define workgroup_size uvec3(hal_size_x, hal_size_y, hal_size_z)
layout(set = 0, binding = 0) buffer Y { uint y[]; };
shared uint memory[hal_dynamic_local_memory / 4];
uint first(uint value) {
  for (uint i = 0; i < workgroup_size.x; ++i) if (memory[i] == value) return i;
  return workgroup_size.y;
}
void main() {
  const uint i = gl_LocalInvocationIndex;
  if (workgroup_size.x * scale < i) return;
  memory[i] = y[i];
  barrier();
  y[i] = first(workgroup_size.z);
}
