#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 4, local_size_y = 3) in;
layout(set = 0, binding = 4) buffer Deep { uint deep[]; };
layout(set = 0, binding = 2) readonly buffer Shallow { uint shallow[]; };
layout(set = 0, binding = 3) buffer Unused { uint unused[]; };
struct Pair { uint first; uint second[2]; };
layout(push_constant) uniform Constants { mat3x2 turn; Pair pair; layout(offset = 48) uint64_t wide; } constants;
shared uint tile[12];
void innermost(uint i) { deep[i] = constants.pair.second[1] + uint(constants.turn[2].y); }
void middle(uint i) { tile[i] = i; innermost(i); }
void main() { middle(shallow[gl_LocalInvocationIndex]); }
