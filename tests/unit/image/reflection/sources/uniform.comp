#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
layout(set = 0, binding = 1) uniform X { uint x; };
void main() { y[0] = x; }
