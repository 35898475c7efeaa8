#version 450
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint bytes = 16;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
shared uint memory[bytes / 4];
void main() { memory[gl_LocalInvocationIndex] = memory.length(); barrier(); y[0] = memory[1]; }
