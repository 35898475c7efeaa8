#version 450
// Two variables at one binding, as ggml's shaders have them, and a second set.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer Bytes { uint words[]; };
layout(set = 0, binding = 0) readonly buffer Vectors { uvec4 vectors[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint y[]; };
layout(set = 1, binding = 2) uniform Options { uint n; } options;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < options.n) y[i] = words[i] + vectors[i / 4].w;
}
