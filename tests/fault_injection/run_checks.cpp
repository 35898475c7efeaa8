// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/run_checks.h"

#include <algorithm>
#include <sstream>

#include "fault_injection/vendor.h"

namespace halyard::fault_injection {
namespace {

const Release* FindRelease(std::string_view call) {
  const auto found = std::ranges::find(TestedVendor().releases, call, &Release::call);
  return found == TestedVendor().releases.end() ? nullptr : &*found;
}

const Refusal* FindRefusal(std::string_view call) {
  const auto found = std::ranges::find(TestedVendor().refusals, call, &Refusal::call);
  return found == TestedVendor().refusals.end() ? nullptr : &*found;
}

bool HasRecovery(std::string_view call) {
  return std::ranges::any_of(TestedVendor().recoveries, [&](const Recovery& entry) { return entry.call == call; });
}

bool IsUnheard(const Evidence& evidence) {
  const std::string_view unheard = evidence.scenario->unheard;
  return unheard == "*" || unheard.find(evidence.failed_call) != std::string_view::npos;
}

// It may be work that the scenario does not wait for, or of the other device.
bool MayBeUnheard(const Evidence& evidence) { return evidence.failed_call == TestedVendor().work; }

bool IsAnswer(const Evidence& evidence) {
  const auto asked_with = TestedVendor().asked_with;
  return evidence.injection->status == HAL_STATUS_INVALID_ARGUMENT &&
         std::ranges::find(asked_with, evidence.failed_call) != asked_with.end();
}

/// Whether the message names the call and the vendor's error, and whether the status matches them.
std::string CheckMessage(const Evidence& evidence, const std::string& failure) {
  const bool named = HasRightNames(failure, evidence.failed_call, *evidence.injection);
  const bool right_status = HasRightStatus(failure, evidence.failed_call, *evidence.injection);
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
  const bool quiet = IsRelease(evidence.failed_call) || HasRecovery(evidence.failed_call) || IsUnheard(evidence) ||
                     MayBeUnheard(evidence);
  if (evidence.failures.empty() && !quiet) wrong += "no caller received the failure; ";
  return wrong;
}

/// A release that fails leaves its object, which the simulation may report. After the loss of a context the driver
/// cannot wait for work before it destroys what the work uses. And without access the vendor copies through the host.
bool IsConsequence(std::string_view report, const Evidence& evidence) {
  if (evidence.injection->status == HAL_STATUS_DEVICE_LOST && report.starts_with("destroy-in-use:")) return true;
  const std::string_view call = evidence.failed_call;
  const bool opens_peers = call.ends_with("EnablePeerAccess") || call.ends_with("MemPoolSetAccess");
  if (opens_peers && report.starts_with("staged-peer-copy:")) return true;
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

// A library that cannot be identified or initialised is no library that works.
bool HasRightStatus(const std::string& failure, std::string_view call, const Injection& injection) {
  const bool loads = call == TestedVendor().identifies || call == TestedVendor().initialises;
  const Refusal* const refusal = FindRefusal(call);
  const hal_status_t fitting = refusal ? refusal->status : injection.status;
  const hal_status_t status = loads && !call.empty() ? HAL_STATUS_UNAVAILABLE : fitting;
  return failure.find(std::string(": ") + hal_status_name(status) + ": ") != std::string::npos;
}

// The call after the loss of a device reports it.
bool HasRightNames(const std::string& failure, std::string_view call, const Injection& injection) {
  if (!call.empty() && call == TestedVendor().identifies) return true;
  if (const Refusal* const refusal = FindRefusal(call)) return failure.find(refusal->text) != std::string::npos;
  const bool lost = injection.status == HAL_STATUS_DEVICE_LOST;
  return failure.find(std::string(lost ? "" : call) + ": " + injection.vendor_name) != std::string::npos;
}

std::string CheckRun(const Evidence& evidence) {
  const Vendor& vendor = TestedVendor();
  std::string wrong = CheckFailures(evidence) + CheckReports(evidence);
  for (const std::string& result : evidence.wrong_results) wrong += "wrong result: " + result + "; ";
  const bool lost = !evidence.failed_call.empty() && evidence.injection->status == HAL_STATUS_DEVICE_LOST;
  const bool answers = !lost || vendor.answers_after_loss;
  if (answers && evidence.objects > ObjectsLeftBy(evidence.failed_call)) {
    wrong += std::to_string(evidence.objects) + " objects are left; ";
  }
  if (answers && !evidence.same_context && evidence.failed_call != vendor.makes_again) {
    wrong += "the thread is left with another context or device; ";
  }
  if (evidence.error_left && evidence.failed_call != vendor.takes_error) wrong += "the thread is left with an error; ";
  return wrong;
}

}  // namespace halyard::fault_injection
