// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows whether a caller asks for several pipelines before it waits for one.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_PIPELINE_GATE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_PIPELINE_GATE_H_

namespace halyard::metal_sim {

// A pipeline with a handler was asked for. Thread-safe, as all here.
void NotePipeline();
// Waits until as many were asked for as a test said. Reports "pipelines-apart" if they do not come in the
// time that it gave.
void AwaitPipelines();

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_PIPELINE_GATE_H_
