#version 450
// Vectors of bool in workgroup memory, alone, in arrays and in structures, whole and by parts; and in private memory.
layout(local_size_x = 4) in;
struct Flags { bvec2 pair; bool one; };
shared bvec2 g;
shared bvec4 h[2];
shared Flags f[2];
shared bvec3 each;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() {
  const uint i = gl_LocalInvocationIndex;
  if (i == 0) {
    g = bvec2(false, true);
    h[0] = bvec4(false, true, false, true);
    h[1] = bvec4(true, true, false, false);
    f[1].pair.x = true;
    f[1].pair.y = false;
    f[1].one = true;
  }
  if (i < 3) each[i] = i != 1;
  barrier();
  Flags own = f[1];
  own.pair[i & 1] = !own.pair[i & 1];
  y[i] = (g.x ? 1 : 0) + (g.y ? 2 : 0) + (h[0].y ? 4 : 0) + (h[0][i] ? 8 : 0) + (h[1].x ? 16 : 0) + (h[1].z ? 32 : 0) +
         (f[1].pair.x ? 64 : 0) + (f[1].pair.y ? 128 : 0) + (each.x ? 256 : 0) + (each.y ? 512 : 0) +
         (each.z ? 1024 : 0) + (own.pair.x ? 2048 : 0) + (any(h[1]) ? 4096 : 0);
}
