#version 450
layout(local_size_x = 4) in;
layout(constant_id = 3) const uint bytes = 16;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
shared uint first[bytes / 4], second[bytes / 4];
void main() { first[0] = second[gl_LocalInvocationIndex]; barrier(); y[0] = first[0]; }
