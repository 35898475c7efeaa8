// Sizes of push constants and of workgroup memory that constants give, one of them computed from another.
#version 450
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const int COUNT = 4;
layout(constant_id = 1) const uint BLOCK = 64;
layout(constant_id = 2) const uint ROWS = 16;
const uint CELLS = ROWS * 4u + (COUNT > 8 ? 8u : 0u);
shared float memory[CELLS];
layout(push_constant) uniform Constants { float scale; float weights[COUNT]; };
layout(set = 0, binding = 0) buffer Values { float values[]; };
void main() {
  const uint i = gl_LocalInvocationIndex;
  for (uint k = i; k < CELLS; k += BLOCK) memory[k] = float(k);
  barrier();
  float sum = 0.0;
  for (int k = 0; k < COUNT; ++k) sum += weights[k];
  values[gl_GlobalInvocationID.x] = sum * scale + memory[CELLS - 1u];
}
