#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint bytes = 16;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
shared uint8_t memory[bytes];
uint get(uint i) { return memory[i]; }
void main() { memory[gl_LocalInvocationIndex] = uint8_t(y[0]); barrier(); y[0] = get(1); }
