#!/usr/bin/env bash
# Breaks src/core/model.cpp in one place at a time and requires that the conformance suite fails.
#
#   run.sh SOURCE_DIR WORK_DIR COMPILER [FLAG]… -- OBJECT_OR_LIBRARY…
#
# A mutant that survives is named and fails the run; so does one that can't be made, since then
# the line that it was meant to break has changed and this list is out of date.
set -euo pipefail

source_dir=$1 work_dir=$2
shift 2
compile=()
while [ "$1" != -- ]; do
    compile+=("$1")
    shift
done
shift
link=("$@")

model=$source_dir/src/core/model.cpp
mkdir -p "$work_dir"
failed=0
# Those of the memory store that ask for what the fence promises.
tests='*/fence.*/memory:*/renewing.*/memory:*/claiming.*/memory:*/operator_acts.*/memory'

# Builds the suite around a model and runs it; true where all tests pass.
passes() {
    local program=$work_dir/$1
    "${compile[@]}" -std=c++20 -O0 -I "$source_dir/include" -c "$program.cpp" -o "$program.o"
    "${compile[@]}" "$program.o" "${link[@]}" -o "$program"
    "$program" --gtest_filter="$tests" --gtest_brief=1 --gtest_fail_fast \
        >"$program.log" 2>&1
}

# mutant NAME SED_SCRIPT [LINES]: exactly LINES (1) of the model may differ after the script.
mutant() {
    local name=$1 script=$2 expected=${3:-1} changed
    sed -E "$script" "$model" >"$work_dir/$name.cpp"
    changed=$(diff "$model" "$work_dir/$name.cpp" | grep -c '^<' || true)
    if [ "$changed" -ne "$expected" ]; then
        echo "BROKEN    $name: $changed lines of model.cpp changed, not $expected"
        failed=1
    elif passes "$name"; then
        echo "SURVIVED  $name"
        failed=1
    elif grep -q 'FAILED  \]' "$work_dir/$name.log"; then
        echo "killed    $name ($(grep -m1 -o 'FAILED  \] [^ ,]*' "$work_dir/$name.log" | cut -c11-))"
    else
        echo "BROKEN    $name: it ended without a failed test, see $work_dir/$name.log"
        failed=1
    fi
    rm -f "$work_dir/$name" "$work_dir/$name.o"
}

# Without any change the suite must pass; else a failure would say nothing about a mutant.
cp "$model" "$work_dir/unchanged.cpp"
if ! passes unchanged; then
    cat "$work_dir/unchanged.log"
    echo "the unchanged model fails the suite"
    exit 1
fi

for verdict in stale_generation future_generation wrong_owner already_accepted not_claimed \
    lease_expired; do
    mutant "without_$verdict" "/^    if \(.*\) return verdict::$verdict;\$/d"
done
mutant expiry_is_late \
    's/if \(row\.lease_until <= now\) return verdict::lease_expired/if (row.lease_until < now) return verdict::lease_expired/'
mutant reclaim_is_late \
    's/(row\.at == state::claimed && row\.lease_until) <= now\);/\1 < now);/'
mutant renewal_bound_is_tight \
    's/until <= later\(row\.claimed_at, limits\.lease_total_max\)/until < later(row.claimed_at, limits.lease_total_max)/'
mutant renewal_bound_is_missing \
    's/until <= later\(row\.claimed_at, limits\.lease_total_max\)/true/'
mutant renewals_are_not_counted 's/^    done\.row\.renewals \+= 1;$//'
# apply_claim has a line of the same words, further in front.
mutant an_operator_does_not_fence \
    '/^transition apply_operator/,/^}/{/^    next\.generation = command\.generation;$/d}'
mutant a_claim_does_not_fence \
    '/^transition apply_claim/,/^}/{/^    next\.generation = command\.generation;$/d}'

exit "$failed"
