#include "conformance/conformance.hpp"
#include "leasebox/testing/memory_store.hpp"

namespace leasebox::testing {
namespace {

const bool registered =
    register_store({"memory", [](clock& time) { return std::make_unique<memory_store>(time); }});

}  // namespace
}  // namespace leasebox::testing
