// SPDX-License-Identifier: Apache-2.0
// The C++ contestant of python -m eagle.bench: answers each case name on standard input with seconds a call.
// usage: eagle_bench_worker AXPY DOT THREADS
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <eagle/eagle.hpp>

#include "compare.hpp"

namespace {

struct Planes {
  explicit Planes(std::size_t n) : x(n, 0.5), y(n, 2.0) {}
  std::vector<double> x, y;
};

struct Case {
  int calls;
  std::function<void()> call;
};

eagle::Plan host(const std::string& bundle, int threads) {
  return eagle::plan(eagle::load(bundle).only(), {.structure = eagle::host_team({.threads = threads})});
}

std::map<std::string, Case> cases(const eagle::Plan& axpy, const eagle::Plan& dot) {
  std::map<std::string, Case> all;
  for (const auto& [label, n, calls] : {std::tuple{"64", 64, 3000}, {"1e6", 1000000, 240}, {"1e7", 10000000, 15}}) {
    const auto planes = std::make_shared<Planes>(n);
    const eagle::Values map = {{"x", eagle::view(planes->x)}, {"y", eagle::view(planes->y)}, {"a", 2.0}, {"b", -1.5}};
    const eagle::Values fold = {{"x", eagle::view(planes->x)}, {"y", eagle::view(planes->y)}};
    const auto bound = std::make_shared<eagle::BoundPlan>(axpy.bind(map));
    const std::string text = label;
    all[(n == 64 ? "launch " : "map ") + text] = {calls, [planes, bound] { bound->launch(); }};
    all["fold " + text] = {calls, [planes, dot, fold] { dot.run(fold); }};
    if (n == 64) all["run 64"] = {calls, [planes, axpy, map] { axpy.run(map); }};
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto all = cases(host(argv[1], std::stoi(argv[3])), host(argv[2], std::stoi(argv[3])));
  std::string names;
  for (const auto& [name, each] : all) names += (names.empty() ? "\"" : ", \"") + name + "\"";
  std::cout << "[" << names << "]" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const Case& each = all.at(line);
    for (int k = 0; k < each.calls / 3; ++k) each.call();
    const double total = bench::seconds([&] {
      for (int k = 0; k < each.calls; ++k) each.call();
    });
    std::cout << total / each.calls << std::endl;
  }
}
