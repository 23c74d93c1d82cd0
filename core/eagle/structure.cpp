// SPDX-License-Identifier: Apache-2.0
#include <eagle/structure.hpp>

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

class NotBuilt final : public Structure {
 public:
  NotBuilt(StructureKind kind, std::string remedy, std::optional<StructureKind> inner)
      : Structure(kind), remedy_(std::move(remedy)), inner_(inner) {}
  std::optional<StructureKind> inner() const override { return inner_; }
  std::string describe() const override { return fmt::format("{} (not built)", name(kind())); }
  void require_built() const override {
    throw Error(Code::not_built, fmt::format("{} was not built into this eagle: {}", name(kind()), remedy_));
  }
  void prepare(const Plugin&) const override { require_built(); }

 private:
  std::string_view label() const noexcept override { return "eagle::NotBuilt::run"; }
  void drive(const Call&, const Partition&) const override { require_built(); }
  std::string remedy_;
  std::optional<StructureKind> inner_;
};

[[noreturn]] void fail(const Call& call, const Partition& partition, Code code, const char* why) {
  throw Error(code, fmt::format("plugin '{}', partition {}: {}", call.plugin.id(), to_string(partition), why));
}

}  // namespace

Setting detail::setting_for(const Call& call, StructureKind structure, std::string_view device,
                            std::span<const Partition> parts) {
  if (call.tuning == nullptr || !call.tuning->ignored.empty() || parts.empty()) return {};
  if (!call.tuning->knows(structure, device)) {
    if (call.observer != nullptr)
      call.observer->ignored(printable_lines(fmt::format(
          "the profile {} is ignored: of plugin '{}' it says nothing for {}{}: run 'eagle tune'", call.tuning->file.string(),
          call.plugin.id(), name(structure), device.empty() ? "" : fmt::format(" on '{}'", device))));
    return {};
  }
  return call.tuning->at(structure, device, std::ranges::max(parts, {}, &Partition::count).count);
}

void Structure::agree(std::exception_ptr refusal, const Claims&) const {
  if (refusal) std::rethrow_exception(refusal);
}

void Structure::in_partition(const Call& call, const Partition& partition, const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    fail(call, partition, e.code(), e.what());
  } catch (const std::bad_alloc&) {
    fail(call, partition, Code::memory, "no memory is left");
  } catch (const std::exception& e) {
    fail(call, partition, Code::body, fmt::format("the body threw: {}", e.what()).c_str());
  } catch (...) {
    fail(call, partition, Code::body, "the body threw something that is no std::exception");
  }
}

void Structure::run_parts(const Call& call, std::span<const Partition> partitions) const {
  for (const Partition& partition : partitions) {
    if (call.observer != nullptr) call.observer->begin(label(), partition);
    const auto part = [&] {
      if (call.observer != nullptr && &partition != &partitions.front() && call.observer->stop_requested())
        throw Error(Code::interrupted, "the run was stopped; planes are partly written");
      drive(call, partition);
    };
    in_partition(call, partition, std::cref(part));  // a reference: a std::function of it allocates nothing
    if (call.observer == nullptr) continue;
    call.observer->end(partition);
    call.observer->progress(partition.end(), partition.n_samples);
  }
}

StructurePtr not_built(StructureKind kind, std::string remedy, std::optional<StructureKind> inner) {
  return std::make_shared<NotBuilt>(kind, std::move(remedy), inner);
}

}  // namespace eagle
