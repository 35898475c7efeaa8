#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 3) uniform Settings { uint count; };
layout(set = 0, binding = 3) buffer Counted { uint counted[]; };
void main() { counted[0] = count; }
