#!/usr/bin/env bash
# Everything that needs a GPU, most important first, each step with a time limit; one that fails stops no other.
#   PYTHONPATH=src bash benchmarks/measure/run_on_gpu.sh OUTDIR
# Results land in OUTDIR, with all output in OUTDIR/run.log.
set -uo pipefail
cd "$(dirname "$0")/../.."
out=${1:?"usage: run_on_gpu.sh OUTDIR"}
mkdir -p "$out"
out=$(cd "$out" && pwd)
python=${PYTHON:-python3}

step() { # step NAME SECONDS COMMAND...
    local name=$1 limit=$2 start=$SECONDS status=0
    shift 2
    echo "=== $name" >>"$out/run.log"
    timeout --kill-after=10 "$limit" "$@" >>"$out/run.log" 2>&1 || status=$?
    echo "$name: status $status, $((SECONDS - start)) s (limit $limit)" | tee -a "$out/run.log"
}

step device 30 nvidia-smi
step devices 60 "$python" -m tilewright devices
step tests 240 env TILEWRIGHT_REQUIRE_GPU=1 "$python" -m pytest tests/gpu -q -p no:cacheprovider
step counters 240 "$python" -m benchmarks.measure.gpu_counters "$out/hardware_counters_h200.json"
step table_4_2 180 "$python" -m benchmarks.measure.gpu_table_4_2 "$out/table_4_2_h200.json"
step tile_sweep 150 "$python" -m benchmarks.measure.gpu_tile_sweep "$out/tile_sweep_h200.json"
step instructions 90 "$python" -m tests.gpu.fill_instruction_table --out "$out/instructions_h200.json"
step corpus 120 "$python" -m tests.gpu.run_corpus --out "$out/corpus_h200.json"
step caches 300 "$python" -m benchmarks.measure.caches.gpu_caches "$out"
step read_sharing 120 "$python" -m benchmarks.measure.gpu_read_sharing "$out"
step thesis_figures 90 "$python" -m benchmarks.measure.gpu_thesis_figures "$out/thesis_figures_h200.json"
step banks 120 "$python" -m benchmarks.measure.gpu_bank_patterns "$out/bank_patterns_h200.json"
step two_gpus 240 "$python" -m benchmarks.measure.bench_two_gpus --out "$out/two_gpus.json" # fails with one GPU
step sanitizer 260 "$python" -m tests.gpu.run_sanitizer --out "$out/sanitizer_h200.json" --logs "$out/sanitizer"
step products 180 "$python" -m benchmarks.measure.bench_gpu --seconds 0.3 --out "$out/products_h200.json"
step precisions 180 "$python" -m benchmarks.measure.bench_precisions --out "$out/precisions_h200.json"
step invariant 300 "$python" -m benchmarks.measure.bench_invariant --out "$out/invariant.json"
step dot 120 "$python" -m benchmarks.measure.bench_dot --out "$out/dot_h200.json"
step reduced 120 "$python" -m benchmarks.measure.bench_reduced --out "$out/reduced_h200.json"
step random 240 "$python" -m benchmarks.measure.bench_random --seed "${SEED:-1}" --out "$out/random_products_h200.json"
step in_a_row 90 "$python" -m benchmarks.measure.bench_in_a_row "$out/in_a_row_h200.json"
step call_cost 150 "$python" -m benchmarks.measure.bench_call_cost "$out/call_cost.json"
step fuzz 240 "$python" -m tests.gpu.fuzz_products --cases 20000 --workers 8 --seconds 120 --out "$out/fuzz_products_h200.json"
step product_sanitizer 120 "$python" -m tests.gpu.run_product_sanitizer --seconds 80 --out "$out/sanitizer_products_h200.json"
step first_call 360 "$python" -m benchmarks.measure.bench_first_call "$out/first_call.json"
step compare 60 "$python" -m tilewright compare --device gpu --json "$out/compare_h200.json"
step memcheck 120 env TILEWRIGHT_REQUIRE_GPU=1 compute-sanitizer --error-exitcode=1 --padding=32 --report-api-errors=no \
    "$python" -m pytest tests/gpu -q -p no:cacheprovider -k "inputs_are_left_alone or empty"
tail -n 200 "$out/run.log" | tail -c 8000
