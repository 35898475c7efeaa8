// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "raw_nccl.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "stream/native/nccl_abi.h"

namespace halyard::benchmarks {
namespace {

using namespace stream::nccl;  // NOLINT(google-build-using-namespace): the vendor's names

/// A library that an environment variable names, or the loader finds.
class Library {
 public:
  Library(const char* variable, const char* file) {
    const char* const named = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    file_ = named ? named : file;
    handle_ = dlopen(file_.c_str(), RTLD_NOW);
    if (!handle_) throw std::runtime_error(dlerror());  // NOLINT(concurrency-mt-unsafe)
  }
  template <class Function>
  Function Find(const char* name) const {
    auto* const found = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!found) throw std::runtime_error(file_ + " has no " + name);
    return found;
  }

 private:
  std::string file_;
  void* handle_ = nullptr;
};

void Check(const char* call, int result) {
  if (result != 0) throw std::runtime_error(std::string(call) + " returned " + std::to_string(result));
}

struct Rank {
  void* context = nullptr;
  void* stream = nullptr;
  uint64_t memory = 0;
  ncclComm_t communicator = nullptr;
};

}  // namespace

struct RawNccl::Parts {
  Library cuda{"HALYARD_CUDA_LIBRARY", "libcuda.so.1"};
  Library library{"HALYARD_NCCL_LIBRARY", "libnccl.so.2"};
  NcclFunctions nccl;
  std::vector<Rank> ranks;
  int (*set_current)(void*) = cuda.Find<int (*)(void*)>("cuCtxSetCurrent");
  int (*synchronize)(void*) = cuda.Find<int (*)(void*)>("cuStreamSynchronize");
};

RawNccl::RawNccl(const std::vector<int>& ordinals, size_t bytes) : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
#define HALYARD_FIND(name, result, signature) p.nccl.name = p.library.Find<decltype(p.nccl.name)>(#name);
  HALYARD_NCCL_FUNCTIONS(HALYARD_FIND)
#undef HALYARD_FIND
  Check("cuInit", p.cuda.Find<int (*)(unsigned)>("cuInit")(0));
  ncclUniqueId id{};
  Check("ncclGetUniqueId", p.nccl.ncclGetUniqueId(&id));
  p.ranks.resize(ordinals.size());
  for (size_t i = 0; i < ordinals.size(); ++i) {
    Rank& rank = p.ranks[i];
    Check("cuDevicePrimaryCtxRetain",
          p.cuda.Find<int (*)(void**, int)>("cuDevicePrimaryCtxRetain")(&rank.context, ordinals[i]));
    Check("cuCtxSetCurrent", p.set_current(rank.context));
    Check("cuStreamCreate", p.cuda.Find<int (*)(void**, unsigned)>("cuStreamCreate")(&rank.stream, 1));
    Check("cuMemAlloc", p.cuda.Find<int (*)(uint64_t*, size_t)>("cuMemAlloc_v2")(&rank.memory, bytes));
  }
  Check("ncclGroupStart", p.nccl.ncclGroupStart());
  for (size_t i = 0; i < p.ranks.size(); ++i) {
    Check("cuCtxSetCurrent", p.set_current(p.ranks[i].context));
    Check("ncclCommInitRank",
          p.nccl.ncclCommInitRank(&p.ranks[i].communicator, static_cast<int>(p.ranks.size()), id, static_cast<int>(i)));
  }
  Check("ncclGroupEnd", p.nccl.ncclGroupEnd());
}

RawNccl::~RawNccl() {
  for (const Rank& rank : parts_->ranks) {
    if (rank.communicator) static_cast<void>(parts_->nccl.ncclCommDestroy(rank.communicator));
  }
}

int RawNccl::version() const {
  int version = 0;
  Check("ncclGetVersion", parts_->nccl.ncclGetVersion(&version));
  return version;
}

void RawNccl::Submit(uint64_t bytes) {
  const Parts& p = *parts_;
  Check("ncclGroupStart", p.nccl.ncclGroupStart());
  for (const Rank& rank : p.ranks) {
    auto* const memory = reinterpret_cast<void*>(rank.memory);  // NOLINT(performance-no-int-to-ptr)
    Check("ncclAllReduce", p.nccl.ncclAllReduce(memory, memory, bytes / sizeof(float), ncclFloat32, ncclSum,
                                                rank.communicator, rank.stream));
  }
  Check("ncclGroupEnd", p.nccl.ncclGroupEnd());
}

void RawNccl::Wait() {
  for (const Rank& rank : parts_->ranks) {
    Check("cuCtxSetCurrent", parts_->set_current(rank.context));
    Check("cuStreamSynchronize", parts_->synchronize(rank.stream));
  }
}

}  // namespace halyard::benchmarks
