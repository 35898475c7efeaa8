// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The model that ../inference and ../server run: two dense layers. Its numbers are small and whole, so that every
/// device computes the very same sums, and the host can check them.
#ifndef HALYARD_EXAMPLES_INFERENCE_MODEL_H_
#define HALYARD_EXAMPLES_INFERENCE_MODEL_H_

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): C includes it, too

enum { MODEL_INPUTS = 256, MODEL_HIDDEN = 192, MODEL_OUTPUTS = 16 };

/// What comes first in the buffer of weights, in floats; each part begins at a multiple of 256 bytes, which is what
/// devices ask of bindings.
enum {
  MODEL_WEIGHTS_1 = 0,
  MODEL_BIAS_1 = MODEL_WEIGHTS_1 + MODEL_INPUTS * MODEL_HIDDEN,
  MODEL_WEIGHTS_2 = MODEL_BIAS_1 + MODEL_HIDDEN,
  MODEL_BIAS_2 = MODEL_WEIGHTS_2 + MODEL_HIDDEN * MODEL_OUTPUTS,
  MODEL_FLOATS = MODEL_BIAS_2 + MODEL_OUTPUTS
};

static inline float model_parameter(uint32_t i) { return (float)((int32_t)(i * 7u % 5u) - 2); }
static inline float model_input(uint64_t frame, uint32_t i) { return (float)((frame + i) % 3u); }

/// The workgroups that `dense` needs for that many outputs.
static inline uint32_t model_workgroups(uint32_t outputs) { return (outputs + 63u) / 64u; }

static inline void model_layer(const float* x, const float* weights, const float* bias, uint32_t inputs,
                               uint32_t outputs, float* y) {
  for (uint32_t row = 0; row < outputs; ++row) {
    float sum = bias[row];
    for (uint32_t i = 0; i < inputs; ++i) sum += weights[row * inputs + i] * x[i];
    y[row] = sum > 0 ? sum : 0;
  }
}

/// What a device should make of a frame. `parameters` are MODEL_FLOATS, `y` takes MODEL_OUTPUTS.
static inline void model_reference(const float* parameters, uint64_t frame, float* y) {
  float x[MODEL_INPUTS], hidden[MODEL_HIDDEN];
  for (uint32_t i = 0; i < MODEL_INPUTS; ++i) x[i] = model_input(frame, i);
  model_layer(x, parameters + MODEL_WEIGHTS_1, parameters + MODEL_BIAS_1, MODEL_INPUTS, MODEL_HIDDEN, hidden);
  model_layer(hidden, parameters + MODEL_WEIGHTS_2, parameters + MODEL_BIAS_2, MODEL_HIDDEN, MODEL_OUTPUTS, y);
}

#endif  // HALYARD_EXAMPLES_INFERENCE_MODEL_H_
