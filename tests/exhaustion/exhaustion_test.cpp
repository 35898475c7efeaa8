// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each allocation of the library fails in turn, in a process of its own. The process has not used the library before
// (cold), or has run the same work once (warm). Wanted: a status with a message, nothing leaked, nothing half done, and
// the same work runs afterwards.
#include <execinfo.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include "exhaustion/failing_malloc.h"
#include "exhaustion/scenario.h"

namespace halyard::exhaustion {
namespace {

enum class Start { kCold, kWarm };

struct Case {
  const char* uri;
  Scenario scenario;
  Start start;
  Failing failing;
};

/// What a process says of itself, in memory that it shares with the test.
struct Report {
  uint64_t allocations;  // while they could fail
  int64_t live;          // blocks, in the end
  bool failed;           // whether an allocation did fail
  char words[4096];      // what must not be
};

class Page {
 public:
  Page()
      : report_(static_cast<Report*>(
            mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Page() { munmap(report_, sizeof(Report)); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  Report* operator->() const { return report_; }
  Report& operator*() const { return *report_; }

 private:
  Report* const report_;
};

void Say(Report& report, const std::string& words) {
  const std::string all = report.words + words + "\n";
  all.copy(report.words, sizeof(report.words) - 1);
}

void OnCrash(int number) {
  std::array<void*, 48> frames;
  std::fprintf(stderr, "signal %d; the last message: %s\n", number, hal_last_error_message());
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  std::fprintf(stderr, "the allocation that failed first:\n");
  PrintFirstFailure();
  _exit(128 + number);
}

std::string Folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder ? folder : "/tmp";
}

void RunOnce(const Case& tested, Report& report, bool may_fail) {
  Run run(tested.uri, Folder());
  tested.scenario.run(run);
  for (const std::string& fault : run.faults()) Say(report, fault);
  for (const std::string& failure : run.failures()) {
    if (!may_fail) Say(report, "failed though there was memory: " + failure);
    const bool plain = failure.find(": RESOURCE_EXHAUSTED: ") != std::string::npos || LoaderFailedFirst();
    if (may_fail && !plain) Say(report, "another status: " + failure);
  }
}

// Frees what pools and threads keep: how much they keep depends on which thread was how fast. Work that was waited for
// may keep its references a moment longer than one call waits; alarm() ends the process if they stay.
void ShutDown(Report& report) {
  hal_status_t status = hal_shutdown();
  while (status == HAL_STATUS_FAILED_PRECONDITION) status = hal_shutdown();
  if (status != HAL_STATUS_OK) Say(report, std::string("shutdown: ") + hal_last_error_message());
}

/// The work of one process: allocation `n` fails.
void Examine(const Case& tested, uint64_t n, int64_t expected_live, Report& report) {
  hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_ERROR);
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM}) signal(number, OnCrash);
  alarm(60);
  if (tested.start == Start::kWarm) RunOnce(tested, report, false);
  FailMalloc(n, tested.failing);
  RunOnce(tested, report, true);
  report.allocations = StopFailing();
  report.failed = FailedMallocs() > 0;
  RunOnce(tested, report, false);
  ShutDown(report);
  report.live = LiveBlocks();
  if (report.live > expected_live && std::getenv("HALYARD_SHOW_LEAKS")) PrintLiveBlocks();
  if (report.words[0] != '\0') {
    std::fprintf(stderr, "the allocation that failed first:\n");
    PrintFirstFailure();
  }
}

/// Runs Examine() in a process. False if it crashed.
bool InProcess(const Case& tested, uint64_t n, int64_t expected_live, Report& report) {
  report = {};
  const pid_t child = fork();
  if (child == 0) {
    Examine(tested, n, expected_live, report);
    _exit(0);
  }
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

void ExpectNoFault(const Case& tested, uint64_t step) {
  const Page report;
  constexpr int64_t kAnyNumber = INT64_MAX;
  ASSERT_TRUE(InProcess(tested, 0, kAnyNumber, *report));
  ASSERT_STREQ(report->words, "");
  const int64_t live = report->live;
  const uint64_t last = report->allocations;
  EXPECT_GT(last, 0u);
  // Beyond the last as well: a failure may lead to more allocations than there were.
  for (uint64_t n = 1; n <= last + 1; n += step) {
    EXPECT_TRUE(InProcess(tested, n, live, *report)) << "the process ended at allocation " << n << " of " << last;
    EXPECT_STREQ(report->words, "") << "allocation " << n << " of " << last;
    EXPECT_LE(report->live, live) << "blocks leaked after allocation " << n << " of " << last;
  }
}

std::vector<Case> Cases(const char* uri) {
  std::vector<Case> cases;
  const bool local = std::string_view(uri).starts_with("local");
  for (const Scenario& scenario : Scenarios()) {
    if (scenario.devices == Devices::kLocal && !local) continue;
    for (const Start start : {Start::kCold, Start::kWarm}) {
      for (const Failing failing : {Failing::kOnce, Failing::kOn}) cases.push_back({uri, scenario, start, failing});
    }
  }
  return cases;
}

std::vector<Case> CudaCases() { return std::getenv("HALYARD_CUDA_LIBRARY") ? Cases("cuda://") : std::vector<Case>(); }

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.scenario.name) + (info.param.start == Start::kCold ? "Cold" : "Warm") +
         (info.param.failing == Failing::kOnce ? "Once" : "FromThenOn");
}

class ExhaustionTest : public testing::TestWithParam<Case> {};

// Every seventh, which is prime to the number of allocations that repeated steps make: a sample of them all.
TEST_P(ExhaustionTest, EndsInAStatus) { ExpectNoFault(GetParam(), 7); }
TEST_P(ExhaustionTest, SlowEndsInAStatusAtEveryPoint) { ExpectNoFault(GetParam(), 1); }

// Apart, so that ctest runs them side by side.
INSTANTIATE_TEST_SUITE_P(Sync, ExhaustionTest, testing::ValuesIn(Cases("local://sync")), NameOf);
INSTANTIATE_TEST_SUITE_P(Task, ExhaustionTest, testing::ValuesIn(Cases("local://task?threads=2")), NameOf);
INSTANTIATE_TEST_SUITE_P(Cuda, ExhaustionTest, testing::ValuesIn(CudaCases()), NameOf);

}  // namespace
}  // namespace halyard::exhaustion

int main(int argc, char** argv) {
  halyard::exhaustion::LearnWhoIsWho();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
