// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds the same tokens to a model on ggml's CPU backend and on the backend of Halyard, and compares what they predict.
//
//   halyard-ggml-llama MODEL.gguf [TOKENS [TOLERANCE]]
//
// GGML_BACKEND_PATH names libggml-halyard.so, and HALYARD_GGML_DEVICES the device. The exit code is 0 if every
// prediction agrees, each of TOKENS on its own and those of a prompt at once, and the memory of the process is flat.
#include "llama.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ggml-backend.h"

namespace {

constexpr int kPrompt = 37;             // tokens at once, a number that is no multiple of anything
constexpr int kContext = 512;           // tokens; a full context begins anew
constexpr int kThreads = 1;             // of the CPU backend, whose threads wait for each other by polling
constexpr long kMostGrowth = 16 << 10;  // KiB of the process between the first quarter of the tokens and the end

using Clock = std::chrono::steady_clock;

[[noreturn]] void Fail(const std::string& what) { throw std::runtime_error(what); }

/// Of the process, in KiB.
long ResidentMemory() {
  long pages = 0;
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/self/statm", "r"), std::fclose);
  if (!file || std::fscanf(file.get(), "%*d %ld", &pages) != 1) Fail("/proc/self/statm cannot be read");
  return pages * 4;
}

/// A model and its context on one device, or on the CPU backend alone.
class Llama {
 public:
  Llama(const char* path, ggml_backend_dev_t device) {
    ggml_backend_dev_t devices[] = {device, nullptr};
    llama_model_params model_params = llama_model_default_params();
    model_params.devices = devices;
    model_params.n_gpu_layers = device ? 99 : 0;
    model_.reset(llama_model_load_from_file(path, model_params));
    if (!model_) Fail("the model cannot be loaded");
    llama_context_params params = llama_context_default_params();
    params.n_ctx = kContext;
    params.n_batch = kContext;
    params.n_threads = kThreads;
    params.n_threads_batch = kThreads;
    params.offload_kqv = device != nullptr;
    context_.reset(llama_init_from_model(model_.get(), params));
    if (!context_) Fail("the context cannot be made");
  }

  int vocabulary_size() const { return llama_vocab_n_tokens(llama_model_get_vocab(model_.get())); }

  /// What follows the last of the tokens.
  std::span<const float> Predict(std::vector<llama_token> tokens) {
    const auto begin = Clock::now();
    const auto count = static_cast<int32_t>(tokens.size());
    if (llama_decode(context_.get(), llama_batch_get_one(tokens.data(), count)) != 0) Fail("llama_decode failed");
    const float* const logits = llama_get_logits_ith(context_.get(), -1);
    time_ += Clock::now() - begin;
    if (!logits) Fail("there are no logits");
    return {logits, static_cast<size_t>(vocabulary_size())};
  }

  void Forget() { llama_memory_clear(llama_get_memory(context_.get()), false); }
  double TakeSeconds() { return std::chrono::duration<double>(std::exchange(time_, {})).count(); }

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
    void operator()(llama_context* context) const { llama_free(context); }
  };
  std::unique_ptr<llama_model, Free> model_;
  std::unique_ptr<llama_context, Free> context_;
  Clock::duration time_{};
};

/// The squared distance of two predictions, by the squared length of the first.
double Distance(std::span<const float> expected, std::span<const float> actual) {
  double difference = 0;
  double length = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(double{expected[i]} - double{actual[i]}, 2);
    length += std::pow(double{expected[i]}, 2);
  }
  return std::isfinite(difference) && length > 0 ? difference / length : INFINITY;
}

/// The negative logarithm of the probability of a token.
double Surprise(std::span<const float> logits, llama_token token) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double{logit} - top);
  return std::log(sum) + top - double{logits[static_cast<size_t>(token)]};
}

struct Comparison {
  double worst = 0;
  double expected_surprise = 0;
  double actual_surprise = 0;
};

/// A token that has nothing to do with what was predicted, so that both models get the same.
llama_token NextToken(uint32_t* state, int vocabulary_size) {
  *state = *state * 1664525u + 1013904223u;
  return static_cast<llama_token>((*state >> 8) % static_cast<uint32_t>(vocabulary_size));
}

void Step(Llama& expected, Llama& actual, const std::vector<llama_token>& tokens, llama_token next,
          Comparison* comparison) {
  const std::span<const float> right = expected.Predict(tokens);
  const std::span<const float> own = actual.Predict(tokens);
  comparison->worst = std::max(comparison->worst, Distance(right, own));
  comparison->expected_surprise += Surprise(right, next);
  comparison->actual_surprise += Surprise(own, next);
}

ggml_backend_dev_t FindDevice() {
  ggml_backend_load_all();
  const ggml_backend_dev_t device = ggml_backend_dev_by_name("Halyard0");
  if (!device) Fail("there is no device Halyard0: GGML_BACKEND_PATH and HALYARD_GGML_DEVICES say which");
  std::printf("%s\n", ggml_backend_dev_description(device));
  return device;
}

/// How many graphs the backend has executed.
uint64_t Executions(ggml_backend_dev_t device) {
  const auto count = reinterpret_cast<uint64_t (*)()>(
      ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), "halyard_executions"));
  if (!count) Fail("the backend does not count");
  return count();
}

int Run(const char* path, int count, double tolerance) {
  const ggml_backend_dev_t device = FindDevice();
  Llama expected(path, nullptr);
  Llama actual(path, device);
  uint32_t state = 1;
  const auto next = [&] { return NextToken(&state, expected.vocabulary_size()); };
  Comparison comparison;
  std::vector<llama_token> tokens(kPrompt);
  std::generate(tokens.begin(), tokens.end(), next);
  llama_token token = next();
  Step(expected, actual, tokens, token, &comparison);
  expected.TakeSeconds();
  actual.TakeSeconds();
  int used = kPrompt;
  long memory = 0;
  for (int i = 0; i < count; ++i) {
    if (used == kContext) {
      expected.Forget();
      actual.Forget();
      used = 0;
    }
    const llama_token following = next();
    Step(expected, actual, {token}, following, &comparison);
    token = following;
    used += 1;
    if (i == count / 4) memory = ResidentMemory();
  }
  const long growth = ResidentMemory() - memory;
  const double steps = count + 1;
  std::printf("%d tokens, worst squared distance %.2e (at most %.0e), perplexity %.2f and %.2f\n", count,
              comparison.worst, tolerance, std::exp(comparison.expected_surprise / steps),
              std::exp(comparison.actual_surprise / steps));
  std::printf("tokens/s: %.1f on the CPU backend with %d thread, %.1f on Halyard; memory grew by %ld KiB\n",
              count / expected.TakeSeconds(), kThreads, count / actual.TakeSeconds(), growth);
  if (Executions(device) < static_cast<uint64_t>(count)) Fail("the backend has executed fewer graphs than tokens");
  return comparison.worst <= tolerance && growth <= kMostGrowth ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL.gguf [TOKENS [TOLERANCE]]\n", argv[0]);
    return 2;
  }
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level >= GGML_LOG_LEVEL_WARN || std::getenv("HALYARD_GGML_VERBOSE")) std::fputs(text, stderr);
      },
      nullptr);
  try {
    return Run(argv[1], argc > 2 ? std::atoi(argv[2]) : 64, argc > 3 ? std::atof(argv[3]) : 2e-4);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
