#version 450
// Specialisation constants: of the workgroup size, and of the kernel.
layout(local_size_x_id = 0, local_size_y = 4) in;
layout(constant_id = 1) const uint kCount = 8;
layout(constant_id = 2) const float kFactor = 0.5;
layout(constant_id = 3) const bool kNegates = false;
layout(set = 0, binding = 0) buffer Values { float x[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  for (uint k = 0; k < kCount; ++k) x[i] = (kNegates ? -x[i] : x[i]) * kFactor;
}
