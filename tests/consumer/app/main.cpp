#include <cstdio>
#include <vector>

#include <eagle/eagle.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::size_t n = 100000;
  std::vector<double> x(n, 1.5), y(n);
  const auto bundle = eagle::load(argv[1]);
  const auto plan = eagle::plan(bundle.at("triple"), {.structure = eagle::host_team({.threads = 2}), .npartitions = 3});
  plan.run({{"x", eagle::view(x)}, {"y", eagle::view(y)}});
  for (const double value : y)
    if (value != 4.5) return 1;
  std::puts("app: ok");
}
