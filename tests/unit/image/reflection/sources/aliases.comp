#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 0) writeonly buffer Floats { float floats[]; };
layout(set = 2, binding = 1) readonly buffer Both { uint both[]; };
layout(set = 2, binding = 1) readonly buffer Same { float same[]; };
void main() { floats[0] = float(numbers[1] + both[0]) + same[1]; }
