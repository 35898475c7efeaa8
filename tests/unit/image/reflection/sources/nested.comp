// Nested structs in workgroup memory whose arrays constants size, vectors of bool in them, a uniform block of matrices and
// arrays of arrays, sets and bindings with gaps, one side of the workgroup by constant 7 and one fixed.
#version 450
layout(local_size_x_id = 7, local_size_y = 2) in;
layout(constant_id = 2) const uint N = 3;
layout(constant_id = 4) const bool WIDE = false;
const uint M = WIDE ? N * 2u : N + 1u;
struct Inner { bvec3 flag; uint words[M]; };
struct Outer { Inner rows[2]; bvec2 pair[N]; };
shared Outer memory[2];
layout(set=3, binding=250) buffer Y { uint y[]; };
layout(set=3, binding=17, std140) uniform U { mat3 m[2]; float grid[2][3]; ivec2 pairs[3]; } u;
layout(push_constant) uniform P { uint first; uint list[N]; };
void main(){
  uint i = gl_LocalInvocationIndex;
  uint n = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
  for (uint k = i; k < 2u; k += n) {
    for (uint r = 0; r < 2u; ++r) { memory[k].rows[r].flag = bvec3(k == 1u, r == 1u, true); for (uint w = 0; w < M; ++w) memory[k].rows[r].words[w] = k * 100u + r * 10u + w; }
    for (uint p = 0; p < N; ++p) memory[k].pair[p] = bvec2(p % 2u == 0u, k == 0u);
  }
  barrier();
  uint sum = first;
  for (uint p = 0; p < N; ++p) sum += list[p];
  uint bits = 0;
  for (uint k = 0; k < 2u; ++k) for (uint r = 0; r < 2u; ++r) { bvec3 f = memory[k].rows[r].flag; bits = bits * 8u + (f.x ? 1u : 0u) + (f.y ? 2u : 0u) + (memory[k].rows[r].flag.z ? 4u : 0u); }
  for (uint p = 0; p < N; ++p) { bits = bits * 4u + (memory[1].pair[p].x ? 1u : 0u) + (all(memory[0].pair[p]) ? 2u : 0u); }
  if (i == 0u) { y[0] = sum; y[1] = bits; y[2] = memory[1].rows[1].words[M - 1u]; y[3] = M; y[4] = uint(u.m[1][2][1]); y[5] = uint(u.grid[1][2]); y[6] = uint(u.pairs[2].y); y[7] = n; }
}
