// SPDX-License-Identifier: Apache-2.0
#include <eagle/plugin.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <eagle/digest.hpp>
#include <eagle/error.hpp>
#include <eagle/file.hpp>
#include <eagle/library.hpp>
#include <fmt/format.h>

namespace eagle {

struct Plugin::State {
  Declaration declaration;
  std::map<Target, Image> images;
  std::mutex mutex;
  std::optional<Library> library;
  std::atomic<void*> host_entry = nullptr;
  void* device_function = nullptr;
  bool given = false;  ///< whether the entry came from the caller, and nothing from files
  std::shared_ptr<const void> keep;

  const Image& image(Target target) const {
    const auto found = images.find(target);
    if (found == images.end())
      throw Error(Code::placement, fmt::format("plugin '{}' ships no '{}' artifact", declaration.id, name(target)));
    return found->second;
  }
};

Plugin::Plugin(Declaration declaration, std::map<Target, Image> images) : state_(std::make_shared<State>()) {
  state_->declaration = std::move(declaration);
  state_->images = std::move(images);
}

Plugin::Plugin(Declaration declaration, void* entry, std::shared_ptr<const void> keep) : state_(std::make_shared<State>()) {
  state_->declaration = std::move(declaration);
  if (state_->declaration.ships(Target::device)) state_->device_function = entry;
  else state_->host_entry = entry;
  state_->given = true;
  state_->keep = std::move(keep);
}

const Declaration& Plugin::declaration() const noexcept { return state_->declaration; }

void* Plugin::host_entry() const {
  if (void* entry = state_->host_entry.load(std::memory_order_acquire)) return entry;
  const std::lock_guard lock(state_->mutex);
  if (!state_->library) state_->library = Library::open(state_->image(Target::host));
  void* entry = state_->library->symbol(state_->declaration.host_entry);
  state_->host_entry.store(entry, std::memory_order_release);
  return entry;
}

void* Plugin::device_function() const noexcept { return state_->device_function; }

const Image& Plugin::image(Target target) const { return state_->image(target); }

std::string Plugin::device_image() const {
  const Image& image = state_->image(Target::device);
  const FileIdentity now = file_identity(image.path);
  if (now == image.identity || now == FileIdentity{}) {  // of a file that is gone the reading says so
    std::string bytes = detail::read_file(image.path, image.identity.bytes);
    if (bytes.size() == image.identity.bytes && file_identity(image.path) == image.identity) return bytes;
  }
  throw Error(Code::bundle, fmt::format("plugin '{}': {} has changed since it was checked: load the bundle again",
                                        state_->declaration.id, image.path.string()));
}

std::uint64_t Plugin::index_bytes(Target target) const {
  return state_->given ? sizeof(std::uint32_t) : state_->image(target).index_bytes();
}

std::string Plugin::digest() const {
  const Declaration& d = declaration();
  if (state_->given)
    throw Error(Code::unsupported, fmt::format("plugin '{}' was given loaded: it has no files to digest", d.id));
  std::vector<std::filesystem::path> files = {d.manifest, d.sidecar, d.artifact};
  if (d.targets.size() > 1 && d.host_artifact) files.push_back(*d.host_artifact);
  return detail::sha256(files);
}

namespace {

std::string shape_text(const Argument& a) {
  if (a.role == Role::uniform || a.role == Role::nsamples) return "number";
  if (a.shape) return fmt::format("({}, {}, n)", (*a.shape)[0], (*a.shape)[1]);
  if (a.is_plane) return fmt::format("({}, n)", a.width == 0 ? std::string("w") : std::to_string(a.width));
  const bool table = a.role == Role::lookup || a.role == Role::wide_in || a.role == Role::wide_out || a.role == Role::accum_out;
  return table ? "own length" : "(n,)";
}

}  // namespace

std::string to_string(const Plugin& plugin) {
  const Declaration& d = plugin.declaration();
  std::string targets;
  for (const Target target : d.targets) targets += fmt::format("{}{}", targets.empty() ? "" : ", ", name(target));
  std::string text =
      fmt::format("{}: {}{}, targets {}, schema {} ({}), {}\n", d.id, name(d.access),
                  d.op ? fmt::format(" {}", name(*d.op)) : "", targets, d.schema_version, d.aether_abi, d.scalar_type);
  for (const Argument& a : d.arguments) {
    text += fmt::format("  {:<11} {:<16} {:<8} {}{}\n", name(a.role), a.name, name(a.dtype), shape_text(a),
                        a.initial ? fmt::format(", starts from {}", to_string(*a.initial)) : "");
  }
  return text;
}

}  // namespace eagle
