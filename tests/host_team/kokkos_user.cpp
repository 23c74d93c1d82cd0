// SPDX-License-Identifier: Apache-2.0
// A program that uses Kokkos beside eagle, in one of several orders. Prints "MODE: ok".
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <eagle/eagle.hpp>
#include <eagle/kokkos.hpp>

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::exit(1);
}

void run(eagle::StructurePtr structure) {
  std::vector<double> x(20000, 2.0), y(x.size());
  eagle::plan(eagle::load(EAGLE_TEST_BUNDLES "/axpy").only(), {.structure = std::move(structure)})
      .run({{"x", eagle::view(x)}, {"y", eagle::view(y)}, {"a", 2.0}, {"b", 1.0}});
  require(y.front() == 5 && y.back() == 5, "axpy");
}

void use_kokkos() {
  Kokkos::View<double*> v("v", 1000);
  Kokkos::parallel_for("user", 1000, KOKKOS_LAMBDA(int i) { v(i) = i; });
  Kokkos::fence();
  require(v(999) == 999, "the user's own kernel");
}

template <class F>
void require_unavailable(F&& f, const char* words) {
  try {
    f();
  } catch (const eagle::Error& e) {
    require(e.code() == eagle::Code::unavailable, "code unavailable");
    require(std::string(e.what()).find(words) != std::string::npos, words);
    return;
  }
  require(false, "a refusal");
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "ours_first") {
    run(eagle::host_team({.threads = 2}));
    use_kokkos();
    run(eagle::host_team());
  } else if (mode == "theirs_first") {
    Kokkos::ScopeGuard guard(Kokkos::InitializationSettings().set_num_threads(2).set_disable_warnings(true));
    use_kokkos();
    run(eagle::host_team());
    run(eagle::host_team({.threads = 4}));
    use_kokkos();
  } else if (mode == "after_finalize") {
    Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
    run(eagle::host_team());
    Kokkos::finalize();
    require_unavailable([] { run(eagle::host_team()); }, "Kokkos was finalized");
  } else if (mode == "in_parallel") {
    run(eagle::host_team());
    Kokkos::parallel_for(
        "outer", Kokkos::RangePolicy<Kokkos::OpenMP>(0, 2), KOKKOS_LAMBDA(int) {
          require_unavailable([] { run(eagle::host_team({.threads = 2})); }, "inside an OpenMP parallel region");
        });
    Kokkos::fence();
  } else if (mode == "own_instance") {
    Kokkos::ScopeGuard guard(Kokkos::InitializationSettings().set_disable_warnings(true));
    const Kokkos::OpenMP space(3);
    static std::uint32_t device = 0;
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_begin_parallel_for_callback([](const char*, std::uint32_t id, std::uint64_t*) { device = id; });
    run(eagle::host_team(space));
    require(device == Tools::device_id(space), "the kernel lands on the given instance");
    Tools::set_begin_parallel_for_callback(nullptr);
  } else {
    return 2;
  }
  std::printf("%s: ok\n", mode.c_str());
} catch (const eagle::Error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
