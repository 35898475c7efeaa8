#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Y { double y[]; };
void main() { y[0] *= 2; }
