#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
struct Block { float16_t scale; uint8_t quants[16]; };
struct Packed { float16_t scale; uint16_t quants[8]; };
layout(set = 0, binding = 0) readonly buffer A { Block data_a[]; };
layout(set = 0, binding = 0) readonly buffer APacked { Packed data_a_packed[]; };
layout(set = 0, binding = 1) readonly buffer B { float data_b[]; };
layout(set = 0, binding = 1) readonly buffer BWide { vec4 data_b_wide[]; };
layout(set = 0, binding = 2) buffer D { float data_d[]; };
layout(push_constant) uniform Constants { uint count; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  const uint pair = uint(data_a_packed[i].quants[1]);
  const vec4 four = data_b_wide[i];
  data_d[i] = float(data_a[i].scale) * (float(data_a[i].quants[0]) + float(pair >> 8)) + data_b[4 * i + 1] + four.w;
}
