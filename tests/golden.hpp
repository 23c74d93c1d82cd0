// SPDX-License-Identifier: Apache-2.0
// The frozen bits of the canonical reduction.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "support.hpp"

inline const rapidjson::Document& golden() {
  static const rapidjson::Document document = [] {
    std::ifstream file(support::data("reduction/tree_v1_golden.json"));
    std::ostringstream text;
    text << file.rdbuf();
    rapidjson::Document parsed;
    parsed.Parse(text.str().c_str());
    return parsed;
  }();
  return document;
}

inline std::uint64_t hex(const rapidjson::Value& text) { return std::stoull(text.GetString(), nullptr, 16); }
