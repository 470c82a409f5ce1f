// Counters that tick: loads of the picked thread, of the block, of the launch, beside another kernel's; and traffic.

const BESIDE = TRACE.beside;
const usesTiles = (name) => /tiled/.test(name);
const OWN_TITLE = !P.operation ? "own" : HAS_TILES ? "tiled" : "plain";
const BESIDE_TITLE = BESIDE && usesTiles(BESIDE.kernel) ? "tiled" : "plain";

// How many loads the other kernel's thread for the same element of C had made when it had added as often.
function besideLoads(thread, elements) {
  let sum = 0;
  const adds = Math.max(0, ...thread.adds.filter(Boolean));
  for (const element of elements) {
    const curve = BESIDE.curves[BESIDE.curve_of[element]];
    if (curve && adds > 0) sum += curve[Math.min(adds, curve.length) - 1];
  }
  return sum;
}

// The array of the result: C, or the first global one that is written; and its elements that each thread of a block
// stores in the end: whom to compare it with.
const RESULT = RESULTS.find((number) => ARRAYS[number].name === "C") ?? RESULTS[0] ?? -1;
const ELEMENTS_OF = new Map();
function elementsOfThreads(number) {
  if (!ELEMENTS_OF.has(number)) {
    const found = Array.from({ length: THREADS }, () => new Set());
    for (const step of BLOCKS[number].steps) {
      if (step.kind !== "store" || step.array < 0 || step.array !== RESULT) continue;
      step.threads.forEach((thread, place) => found[thread].add(step.elements[place]));
    }
    ELEMENTS_OF.set(number, found);
  }
  return ELEMENTS_OF.get(number);
}

// Elements that the launch loads, in the unit of the other rows. The launch's own count, of whatever was not recorded,
// takes an asynchronous copy for elements of 4 bytes.
const IS_WHOLE = BLOCKS.length === GRID[0] * GRID[1] * GRID[2] && !TRACE.recorded.cut && !TRACE.recorded.threads && !TRACE.recorded.phases;
const loadsOf = ({ steps }) => steps.reduce((sum, step) => sum + (step.kind === "load" && !isShared(step.array) ? step.count * step.threads.length : 0), 0);
const LAUNCH_LOADS = IS_WHOLE ? BLOCKS.reduce((sum, block) => sum + loadsOf(block), 0) : TRACE.counts.global_loads ?? 0;

class Counters {
  constructor(node) {
    this.node = node;
  }

  say() {
    const { counters: says } = texts;
    const table = make("table", { class: "counters" });
    const head = make("tr", {}, make("td"));
    // A name may be broken behind a slash or an underscore.
    const parts = (name) => name.split(/(?<=[/_])/).flatMap((part) => [part, make("wbr")]);
    const title = (name, text) => make("th", { scope: "col" }, make("span", { class: "title" }, text), make("br"), make("span", { class: "note" }, ...parts(name)));
    head.append(title(TRACE.kernel.name, says[OWN_TITLE]));
    if (BESIDE) head.append(title(BESIDE.kernel, says[BESIDE_TITLE]));
    table.append(make("caption", { class: "unseen" }, says.title), make("thead", {}, head));
    this.body = make("tbody");
    table.append(this.body);
    this.rows = {};
    for (const key of ["thread", "block", "launch"]) {
      const own = make("td", { id: `loads-${key}` }, "0");
      const other = make("td", { id: `loads-${key}-beside` }, "0");
      const line = make("tr", {}, make("th", { scope: "row" }, says[key]), own);
      if (BESIDE) line.append(other);
      this.body.append(line);
      this.rows[key] = [own, other];
    }
    this.list = make("dl", { class: "facts", id: "traffic" });
    this.node.replaceChildren(make("h3", {}, says.title), table, this.list);
  }

  show(replay, picked) {
    const thread = replay.threads[picked];
    setText(this.rows.thread[0], String(thread.globalLoads));
    setText(this.rows.block[0], counted(replay.totals.globalLoads));
    setText(this.rows.launch[0], TRACE.launch.fault ? texts.counters.stopped : counted(LAUNCH_LOADS));
    if (BESIDE) {
      const elements = elementsOfThreads(replay.number);
      const block = replay.threads.reduce((sum, each, number) => sum + besideLoads(each, elements[number]), 0);
      setText(this.rows.thread[1], String(besideLoads(thread, elements[picked])));
      setText(this.rows.block[1], counted(block));
      setText(this.rows.launch[1], counted(BESIDE.global_loads));
    }
    fillFacts(this.list, trafficFacts(replay));
  }
}

function trafficFacts(replay) {
  const { totals, step } = replay;
  const { counters: says } = texts;
  const facts = [];
  if (HAS_SUMS) facts.push([P.operation ? says.adds : says.updates, counted(totals.adds)]);
  facts.push([says.sectors, says.sectorsAre(totals.requests ? counted(totals.sectors / totals.requests) : "·", step?.sectors)]);
  if (HAS_TILES) {
    facts.push([says.conflicts, says.conflictsAre(totals.wavefronts - totals.ideal, totals.sharedRequests)]);
  }
  if (step?.conflict) {
    const [bank, ...words] = step.conflict;
    facts.push([says.collides, says.collidesSo(bank, tellLanes(words), step.wavefronts, step.ideal)]);
  }
  facts.push([says.arrivals, texts.names.warps(totals.barriers)]);
  return facts;
}

// The lanes that want each of a bank's words: a few against each other, or all that want one of their own.
function tellLanes(words) {
  if (words.length > 3 && words.every((lanes) => lanes.length === 1)) return texts.counters.ownWords(ranges(words.flat()));
  return texts.counters.against(words.slice(0, 3).map((lanes) => [lanes.length, ranges(lanes)]), Math.max(0, words.length - 3));
}
