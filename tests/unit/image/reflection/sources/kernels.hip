// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For clang, without the headers of HIP: see ../make_images.sh.
extern "C" __attribute__((global)) void saxpy(float a, const float* x, float* y, int n) {
  const int i = __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
