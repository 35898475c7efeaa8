#version 450
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint bytes = 16;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
shared uint memory[bytes];  // constant 3 is a number of elements here
void main() { memory[0] = y[0]; barrier(); y[0] = memory[gl_LocalInvocationIndex]; }
