#version 450
layout(local_size_x = 1) in;
layout(set = 1, binding = 5) buffer Y { uint y[]; } several[3];
void main() { several[1].y[0] = 1; }
