// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/verdict.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace halyard::sweep {
namespace {

/// Calls that give something back, and how many objects of the simulation stay if they do not. All others go with
/// their context.
struct GiveBack {
  std::string_view call;
  uint64_t stay = 0;
};
constexpr GiveBack kGiveBack[] = {
    {"cuStreamDestroy_v2"}, {"cuEventDestroy_v2"},     {"cuMemFree_v2"},        {"cuMemFreeHost"},
    {"cuMemFreeAsync"},     {"cuMemHostUnregister"},   {"cuMemPoolDestroy", 1}, {"cuModuleUnload"},
    {"cuGraphDestroy", 1},  {"cuGraphExecDestroy", 1}, {"cuCtxPopCurrent_v2"},  {"cuDevicePrimaryCtxRelease_v2", 1}};

const GiveBack* FindGiveBack(std::string_view call) {
  const auto* const found = std::ranges::find(kGiveBack, call, &GiveBack::call);
  return found == std::end(kGiveBack) ? nullptr : found;
}

/// Calls whose failure is made up for, so that nobody needs to hear of it.
struct MadeUpFor {
  std::string_view call;
  std::string_view how;
};
constexpr MadeUpFor kMadeUpFor[] = {
    {"cuGetProcAddress_v2", "the function is looked up by its exported name"},
    {"cuGetErrorName", "a text"},
    {"cuGetErrorString", "a text"},
    {"cuEventElapsedTime", "a time is left out of a profile"},
    {"cuThreadExchangeStreamCaptureMode", "what follows is called in the thread's own mode"},
    {"cuMemHostGetDevicePointer_v2", "the address is the same"},
    {"cuCtxGetCurrent", "tried again"},
    {"cuCtxPushCurrent_v2", "tried again"},
    {"cuEventCreate", "the completion thread looks now and then instead of sleeping on an event"},
    {"cuEventQuery", "tried again"},
    {"cuEventSynchronize", "tried again"},
    {"cuStreamSynchronize", "tried again"},
    {"cuEventRecord", "the stream is waited for"},
    {"cuStreamWriteValue64_v2", "the stream is waited for"},
    {"cuStreamWaitEvent", "the stream is waited for"},
    {"cuLaunchHostFunc", "the stream is waited for"},
};

/// Calls that the driver asks with: to be told that a value is invalid is an answer.
constexpr std::array<std::string_view, 2> kAskedWith = {"cuPointerGetAttribute", "cuFuncGetParamInfo"};

bool IsMadeUpFor(std::string_view call) {
  return std::ranges::any_of(kMadeUpFor, [&](const MadeUpFor& entry) { return entry.call == call; });
}

bool IsUnheard(const Evidence& evidence) {
  const std::string_view unheard = evidence.scenario->unheard;
  return unheard == "*" || unheard.find(evidence.failed_call) != std::string_view::npos;
}

bool IsAnswer(const Evidence& evidence) {
  return evidence.injection->result == cuda::CUDA_ERROR_INVALID_VALUE &&
         std::ranges::find(kAskedWith, evidence.failed_call) != kAskedWith.end();
}

/// Whether words name the call and the vendor's error, and the status is the one that this means.
std::string JudgeWords(const Evidence& evidence, const std::string& failure) {
  const auto has = [&](const std::string& text) { return failure.find(text) != std::string::npos; };
  // A context that is lost is found by whichever call comes next.
  const bool lost = evidence.injection->status == HAL_STATUS_DEVICE_LOST;
  const bool named = has((lost ? "" : evidence.failed_call) + ": " + evidence.injection->vendor_name);
  const bool right_status = has(std::string(": ") + hal_status_name(evidence.injection->status) + ": ");
  if (named && right_status) return {};
  return std::string(named ? "wrong status" : "the words do not name call and error") + ": '" + failure + "'; ";
}

std::string JudgeFailures(const Evidence& evidence) {
  std::string wrong;
  if (evidence.failed_call.empty()) {
    for (const std::string& failure : evidence.failures) wrong += "failed for no reason: '" + failure + "'; ";
    return wrong;
  }
  if (IsAnswer(evidence)) return {};
  for (const std::string& failure : evidence.failures) wrong += JudgeWords(evidence, failure);
  const bool quiet = GivesBack(evidence.failed_call) || IsMadeUpFor(evidence.failed_call) || IsUnheard(evidence);
  if (evidence.failures.empty() && !quiet) wrong += "nobody was told of the failure; ";
  return wrong;
}

/// A failed call that was to give something back leaves that, and is noticed where it was a part of something. And
/// nobody can wait for the work of a context that is lost before what it needs is destroyed.
bool IsConsequence(std::string_view report, const Evidence& evidence) {
  if (evidence.injection->status == HAL_STATUS_DEVICE_LOST && report.starts_with("destroy-in-use:")) return true;
  if (!GivesBack(evidence.failed_call)) return false;
  return report.starts_with("leak:") || report.starts_with("destroy-in-use: a memory pool");
}

std::string JudgeReports(const Evidence& evidence) {
  std::string wrong;
  std::istringstream lines(evidence.reports);
  for (std::string line; std::getline(lines, line);) {
    if (!IsConsequence(line, evidence)) wrong += "the simulation reports '" + line + "'; ";
  }
  return wrong;
}

}  // namespace

bool GivesBack(std::string_view call) { return FindGiveBack(call) != nullptr; }

uint64_t ObjectsLeftBy(std::string_view call) {
  const GiveBack* const found = FindGiveBack(call);
  return found == nullptr ? 0 : found->stay;
}

std::string Judge(const Evidence& evidence) {
  std::string wrong = JudgeFailures(evidence) + JudgeReports(evidence);
  for (const std::string& result : evidence.wrong_results) wrong += "wrong result: " + result + "; ";
  if (evidence.objects > ObjectsLeftBy(evidence.failed_call))
    wrong += std::to_string(evidence.objects) + " objects are left; ";
  if (!evidence.same_context && evidence.failed_call != "cuCtxPopCurrent_v2") {
    wrong += "the thread is left with another context; ";
  }
  return wrong;
}

}  // namespace halyard::sweep
