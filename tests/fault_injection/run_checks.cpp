// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/run_checks.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace halyard::fault_injection {
namespace {

/// Calls that release something, and how many objects of the simulation stay if they fail. The others are destroyed
/// with their context.
struct Release {
  std::string_view call;
  uint64_t stay = 0;
};
constexpr Release kReleases[] = {
    {"cuStreamDestroy_v2"}, {"cuEventDestroy_v2"},     {"cuMemFree_v2"},        {"cuMemFreeHost"},
    {"cuMemFreeAsync"},     {"cuMemHostUnregister"},   {"cuMemPoolDestroy", 1}, {"cuModuleUnload"},
    {"cuGraphDestroy", 1},  {"cuGraphExecDestroy", 1}, {"cuCtxPopCurrent_v2"},  {"cuDevicePrimaryCtxRelease_v2", 1}};

const Release* FindRelease(std::string_view call) {
  const auto* const found = std::ranges::find(kReleases, call, &Release::call);
  return found == std::end(kReleases) ? nullptr : found;
}

/// Calls from whose failure the driver recovers, so that it need not report it.
struct Recovery {
  std::string_view call;
  std::string_view how;
};
constexpr Recovery kRecoveries[] = {
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

bool HasRecovery(std::string_view call) {
  return std::ranges::any_of(kRecoveries, [&](const Recovery& entry) { return entry.call == call; });
}

bool IsUnheard(const Evidence& evidence) {
  const std::string_view unheard = evidence.scenario->unheard;
  return unheard == "*" || unheard.find(evidence.failed_call) != std::string_view::npos;
}

bool IsAnswer(const Evidence& evidence) {
  return evidence.injection->result == cuda::CUDA_ERROR_INVALID_VALUE &&
         std::ranges::find(kAskedWith, evidence.failed_call) != kAskedWith.end();
}

/// Whether the message names the call and the vendor's error, and whether the status matches them.
std::string CheckMessage(const Evidence& evidence, const std::string& failure) {
  const auto has = [&](const std::string& text) { return failure.find(text) != std::string::npos; };
  // The call after the loss of a context reports it.
  const bool lost = evidence.injection->status == HAL_STATUS_DEVICE_LOST;
  const bool named = has((lost ? "" : evidence.failed_call) + ": " + evidence.injection->vendor_name);
  const bool right_status = has(std::string(": ") + hal_status_name(evidence.injection->status) + ": ");
  if (named && right_status) return {};
  return std::string(named ? "wrong status" : "the message does not name call and error") + ": '" + failure + "'; ";
}

std::string CheckFailures(const Evidence& evidence) {
  std::string wrong;
  if (evidence.failed_call.empty()) {
    for (const std::string& failure : evidence.failures) wrong += "failed for no reason: '" + failure + "'; ";
    return wrong;
  }
  if (IsAnswer(evidence)) return {};
  for (const std::string& failure : evidence.failures) wrong += CheckMessage(evidence, failure);
  const bool quiet = IsRelease(evidence.failed_call) || HasRecovery(evidence.failed_call) || IsUnheard(evidence);
  if (evidence.failures.empty() && !quiet) wrong += "no caller received the failure; ";
  return wrong;
}

/// A release that fails leaves its object, which the simulation may report. After the loss of a context the driver
/// cannot wait for work before it destroys what the work uses.
bool IsConsequence(std::string_view report, const Evidence& evidence) {
  if (evidence.injection->status == HAL_STATUS_DEVICE_LOST && report.starts_with("destroy-in-use:")) return true;
  if (!IsRelease(evidence.failed_call)) return false;
  return report.starts_with("leak:") || report.starts_with("destroy-in-use: a memory pool");
}

std::string CheckReports(const Evidence& evidence) {
  std::string wrong;
  std::istringstream lines(evidence.reports);
  for (std::string line; std::getline(lines, line);) {
    if (!IsConsequence(line, evidence)) wrong += "the simulation reports '" + line + "'; ";
  }
  return wrong;
}

}  // namespace

bool IsRelease(std::string_view call) { return FindRelease(call) != nullptr; }

uint64_t ObjectsLeftBy(std::string_view call) {
  const Release* const found = FindRelease(call);
  return found == nullptr ? 0 : found->stay;
}

std::string CheckRun(const Evidence& evidence) {
  std::string wrong = CheckFailures(evidence) + CheckReports(evidence);
  for (const std::string& result : evidence.wrong_results) wrong += "wrong result: " + result + "; ";
  if (evidence.objects > ObjectsLeftBy(evidence.failed_call))
    wrong += std::to_string(evidence.objects) + " objects are left; ";
  if (!evidence.same_context && evidence.failed_call != "cuCtxPopCurrent_v2") {
    wrong += "the thread is left with another context; ";
  }
  return wrong;
}

}  // namespace halyard::fault_injection
