// The embedded trace (docs/trace.md), unpacked: every step gets its lanes, elements and values.

// A page may hold other runs of the kernel, without a barrier; the link names the one to play: #without=2.
const WHOLE = JSON.parse(document.getElementById("trace").textContent);
const LESSON = WHOLE.lesson ?? null;
const linkNow = () => new URLSearchParams(location.hash.slice(1));
const OTHER = Object.keys(LESSON?.without ?? {}).indexOf(linkNow().get("without"));
const TRACE = OTHER < 0 ? WHOLE : (await unpacked(LESSON.runs).json())[OTHER];
// Of such a run only the lines are named that are empty where the barrier was.
if (TRACE !== WHOLE) TRACE.kernel.source = WHOLE.kernel.source.split("\n").map((line, i) => (TRACE.kernel.empty.includes(i + 1) && line ? "        // (the barrier that was here is taken out)" : line)).join("\n");
const ARRAYS = TRACE.arrays;
const P = TRACE.problem;
const BLOCK_SIZE = TRACE.launch.block;
const THREADS = BLOCK_SIZE[0] * BLOCK_SIZE[1] * BLOCK_SIZE[2];
const WARPS = Math.ceil(THREADS / 32);
const GRID = TRACE.launch.grid;
const HAS_SUMS = TRACE.sums > 0;
const HAS_TILES = ARRAYS.some((array) => array.space === "shared");

const sizeOf = (array) => array.shape.reduce((product, extent) => product * extent, 1);
const isShared = (number) => number >= 0 && ARRAYS[number].space === "shared";
const isGlobal = (number) => number >= 0 && ARRAYS[number].space !== "shared";

function lanesOf(step) {
  const whole = Math.min(32, THREADS - 32 * step.w);
  const lanes = [];
  for (let lane = 0; lane < whole; lane++) {
    if (step.m === undefined || Math.floor(step.m / 2 ** lane) % 2 === 1) lanes.push(lane);
  }
  return lanes;
}

function elementsOf(runs) {
  const elements = [];
  for (let at = 0; at < runs.length; at += 3) {
    for (let i = 0; i < runs[at + 2]; i++) elements.push(runs[at] + runs[at + 1] * i);
  }
  return elements;
}

// A number of the trace; what JSON cannot hold comes as text.
const asNumber = (value) => (typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value);

// Unpacks one block. A value that the trace leaves out follows from the steps before: a load finds what is there, a
// copy writes what its thread loaded, or 0.
function unpackBlock(block) {
  const cells = ARRAYS.map((array) => (array.before ? array.before.map(asNumber) : []));
  const origins = ARRAYS.map(() => []);
  const writers = ARRAYS.map(() => []);
  const steps = [];
  let phase = 0;
  for (const packed of block.steps) {
    const step = { kind: packed.k, warp: packed.w ?? -1, line: packed.l ?? null, array: packed.a ?? -1 };
    phase = packed.p ?? phase;
    step.phase = phase;
    step.number = steps.length;
    step.lanes = step.warp < 0 ? [] : lanesOf(packed);
    step.threads = step.lanes.map((lane) => 32 * step.warp + lane);
    step.elements = packed.e ? elementsOf(packed.e) : [];
    step.count = packed.n ?? 1;
    step.sources = (packed.f ?? []).map((factor) => factor.map((s) => (Array.isArray(s) ? s : [s, 0])));
    step.isCopy = packed.c === 1;
    step.isMixed = packed.g === 1;
    step.sum = packed.q ?? 0;
    step.barrier = packed.b ?? 0;
    step.sectors = packed.s ?? 0;
    [step.wavefronts, step.ideal] = packed.u ?? [0, 0];
    step.conflict = packed.y ?? null;
    step.place = new Map(step.lanes.map((lane, place) => [lane, place]));
    step.values = valuesOf(packed, step, steps, cells);
    followOrigins(step, steps, cells, origins, writers);
    steps.push(step);
  }
  return { block: block.block, steps };
}

function valuesOf(packed, step, steps, cells) {
  if (packed.v) {
    const flat = packed.v.map(asNumber);
    return step.lanes.map((_, place) => flat.slice(place * step.count, (place + 1) * step.count));
  }
  if (step.kind === "load") {
    return step.elements.map((element) => Array.from({ length: step.count }, (_, i) => cells[step.array]?.[element + i]));
  }
  if (step.kind === "store" && step.isCopy) return step.lanes.map((lane) => [copiedValue(step, lane, steps)]);
  return [];
}

function copiedValue(step, lane, steps) {
  const made = (step.sources[0] ?? []).filter(([source]) => steps[source].place.has(lane));
  if (made.length === 0) return 0;
  const [source, element] = made.reduce((last, each) => (each[0] > last[0] ? each : last));
  return steps[source].values[steps[source].place.get(lane)][element];
}

// Where numbers come from. A cell of shared memory remembers the elements of global memory that went into it; so each
// factor of a multiply-add is known by its place in A or B.
function followOrigins(step, steps, cells, origins, writers) {
  const loaded = (sources, lane) =>
    sources.flatMap(([source, element]) => {
      const from = steps[source];
      const place = from.place.get(lane);
      if (place === undefined || from.array < 0) return [];
      const at = from.elements[place] + element;
      return [{ array: from.array, element: at, value: from.values[place][element], behind: from.origins?.[place] }];
    });
  if (step.kind === "load" && isShared(step.array)) {
    step.origins = step.elements.map((element) => origins[step.array][element] ?? null);
    step.writers = step.elements.map((element) => writers[step.array][element]);
  }
  if (step.kind === "add") step.factors = step.lanes.map((lane) => step.sources.map((factor) => loaded(factor, lane)));
  if (step.kind !== "store" || step.array < 0) return;
  step.from = step.lanes.map((lane) => loaded(step.sources[0] ?? [], lane));
  step.isFilled = step.lanes.map((_, place) => isShared(step.array) && step.isCopy && step.from[place].length === 0);
  step.elements.forEach((element, place) => {
    for (let i = 0; i < step.count; i++) {
      cells[step.array][element + i] = step.values[place]?.[i];
      origins[step.array][element + i] = step.isFilled[place] ? [] : step.from[place];
      writers[step.array][element + i] = steps.length;
    }
  });
}

const BLOCKS = TRACE.blocks.map(unpackBlock);

// The global arrays that are written, in their order.
const WRITTEN = new Set(BLOCKS.flatMap(({ steps }) => steps.filter((step) => step.kind === "store" || step.kind === "atomic").map((step) => step.array)));
const RESULTS = ARRAYS.map((_, number) => number).filter((number) => isGlobal(number) && WRITTEN.has(number));

// Findings by block and step: what to light up where.
const MARKS = BLOCKS.map(() => new Map());
TRACE.findings.forEach((finding, number) => {
  for (const [block, step, lanes] of finding.at) {
    if (!MARKS[block].has(step)) MARKS[block].set(step, []);
    MARKS[block].get(step).push({ number, finding, lanes: new Set(lanes) });
  }
});
