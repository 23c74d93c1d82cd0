// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <eagle/bundle.hpp>
#include <eagle/error.hpp>
#include <eagle/plan.hpp>
#include <eagle/structures.hpp>
#include <eagle/value.hpp>
