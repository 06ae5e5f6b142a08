// Everything that a program needs which appends to SQLite and delivers over HTTP.
#pragma once

#include "leasebox/dispatcher.hpp"
#include "leasebox/http/sink.hpp"
#include "leasebox/sink.hpp"
#include "leasebox/sqlite/append.hpp"
#include "leasebox/sqlite/store.hpp"
#include "leasebox/version.hpp"
