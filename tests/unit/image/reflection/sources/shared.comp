#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { float values[]; };
shared float memory[20000];
void main() {
  const uint i = gl_LocalInvocationIndex;
  for (uint k = i; k < 20000u; k += 64u) memory[k] = float(k);
  barrier();
  values[i] = memory[19999u - i];
}
