// The story of a dot product: the host copies and launches, all threads multiply, a tree adds their sums in shared
// memory, and the host adds what the blocks leave.

const WIDEST_DOT = 128;
const MOST_ROWS = 6;

function dotRolesOf({ steps }) {
  if (P.operation !== "dot" || BLOCK_SIZE[1] * BLOCK_SIZE[2] > 1 || THREADS > WIDEST_DOT) return null;
  const [a, b] = ["A", "B"].map((name) => ARRAYS.findIndex((array) => array.name === name));
  const tile = ARRAYS.findIndex((array, number) => isShared(number) && sizeOf(array) === THREADS);
  const isPower = Number.isInteger(Math.log2(THREADS));
  if (a < 0 || b < 0 || tile < 0 || !isPower || P.k > MOST_ROWS * THREADS || sizeOf(ARRAYS[RESULT] ?? { shape: [THREADS + 1] }) > THREADS) return null;
  const levels = Array.from({ length: Math.log2(THREADS) + 1 }, () => new Map());
  steps.forEach((step, index) => {
    if (step.kind !== "store" || step.array !== tile) return;
    const level = levelOf(step);
    step.elements.forEach((element, place) => levels[level]?.set(element, { index, value: step.values[place]?.[0], thread: step.threads[place], isWrong: level > 0 && isWrongAt(step, place) }));
  });
  // A sum is wrong that was added too early, and whatever it is added to.
  function isWrongAt(step, place) {
    const level = levelOf(step);
    return step.sources.flat().some(([load]) => {
      const at = steps[load].place.get(step.lanes[place]);
      const writer = steps[load].writers?.[at];
      return at !== undefined && isShared(steps[load].array) && (writer === undefined || levelOf(steps[writer]) !== level - 1 || levels[level - 1].get(steps[load].elements[at])?.isWrong);
    });
  }
  const isWhole = levels.every((level, number) => level.size === THREADS >> number);
  return isWhole ? { a, b, c: RESULT, tile, width: THREADS, levels } : null;
}

// 0: a thread's own sum; else how often pairs were added, from how far apart they lay.
function levelOf(step) {
  const behind = step.from.find((loads) => loads.length > 1 && loads.every(({ array }) => array === step.array));
  return behind ? Math.log2(THREADS / Math.abs(behind[1].element - behind[0].element)) : 0;
}

function dotBeatsOf({ steps }, roles) {
  const beats = [];
  let open = null;
  steps.forEach((step, index) => {
    const { kind, level } = dotBeatKind(steps, index, roles);
    const goesOn = open && (kind === open.kind || (kind === "end" && open.kind === "store") || (open.kind === null && kind === "multiply"));
    if (!(goesOn && level === open.level && (step.warp === open.warp || step.warp < 0 || kind === "end"))) beats.push((open = { kind: null, warp: step.warp, phase: 0, level, first: index }));
    open.kind ??= kind;
    open.end = index + 1;
    if (step.kind === "add") open = null;
  });
  // A barrier belongs to the sums that it waits for.
  let part = "multiply";
  for (const beat of beats) {
    if (beat.kind !== "wait") part = beat.kind === "fold" ? `+ ${THREADS >> beat.level}` : beat.kind === "end" ? "store" : beat.kind;
    beat.part = part;
  }
  return beats;
}

function dotBeatKind(steps, index, { tile, c }) {
  const step = steps[index];
  if (["wait", "open", "arrive"].includes(step.kind)) return { kind: "wait" };
  if (step.kind === "exit") return { kind: "end" };
  if (step.kind === "add") return { kind: "multiply" };
  if (step.array === c) return { kind: "store" };
  if (step.array !== tile || step.kind === "give") return { kind: null };
  const store = steps.slice(index).find((each) => each.kind === "store" && each.warp === step.warp);
  if (!store || store.array === c) return { kind: "store" };
  const level = levelOf(store);
  return level ? { kind: "fold", level } : { kind: "share" };
}

// What the host does stands before the run and after it; the tree is guessed before it is seen.
function dotStopsOf(beats, replay) {
  const stops = [];
  const add = (page, at, beat, seconds, isNew) => stops.push({ page, at, beat, seconds, isNew });
  const isTold = TRACE === WHOLE;
  for (const which of isTold ? ["copy", "launch"] : []) add({ kind: "host", which }, 0, -1);
  add(null, 0, -1, 1, true);
  const first = beats.findIndex(({ kind }) => kind === "fold");
  const wait = beats.findIndex(({ kind }, number) => kind === "wait" && number > first);
  beats.forEach((beat, number) => {
    if (number === first && isTold) add({ kind: "tree", isOpen: true }, beats[number - 1].end, number - 1, 3);
    add(null, beat.end, number, beat.kind === "fold" ? 2 : 1, beats.findIndex(({ kind }) => kind === beat.kind) === number);
    if (number === wait && isTold && LESSON?.without["2"]) add({ kind: "barrier", isOpen: true }, beat.end, number, 3);
  });
  for (const which of isTold ? ["back", "sum"] : []) add({ kind: "host", which }, replay.steps.length, beats.length - 1);
  return stops;
}

function dotToldOf(replay, beat, picked, roles) {
  const steps = beat ? replay.steps.slice(beat.first, Math.min(beat.end, Math.max(replay.at, beat.first + 1))) : [];
  const threads = [...new Set(steps.flatMap((step) => step.threads))];
  const thread = threads.includes(picked) || !threads.length ? picked : threads[0];
  const told = { thread, threads, steps, operands: [], flights: [], mine: [], now: new Set() };
  const touch = (whose, key) => { told.now.add(key); if (whose === thread) told.mine.push(key); };
  for (const step of steps) {
    step.threads.forEach((who, place) => {
      const [element, value] = [step.elements[place], step.values[place]?.[0]];
      if (step.kind === "add" && who === thread) told.operands = productOf({ factors: step.factors[place] }, { ...roles, tiles: null });
      if (step.kind === "load" && step.array !== roles.tile) {
        touch(who, `${step.array} ${element}`);
        told.flights.push({ from: { array: step.array, element }, to: { thread: who }, value, hue: step.array === roles.a ? "A" : "B" });
      }
      if (step.kind !== "store") return;
      if (step.array === roles.c) {
        touch(who, `${step.array} ${element}`);
        touch(who, `level ${roles.levels.length - 1} 0`);
        told.flights.push({ from: { level: roles.levels.length - 1, element: 0 }, to: { array: step.array, element }, value, hue: "C" });
        if (who === thread) told.stored = { element, value };
        return;
      }
      const level = levelOf(step);
      touch(who, `level ${level} ${element}`);
      if (who === thread) told.stored = { element, value, from: step.from[place] };
      if (!level) told.flights.push({ from: { thread: who }, to: { level: 0, element }, value, hue: "C" });
      for (const from of level ? step.from[place] : []) {
        touch(who, `level ${level - 1} ${from.element}`);
        told.flights.push({ from: { level: level - 1, element: from.element }, to: { level, element }, value: from.value, hue: "C" });
      }
    });
  }
  told.flights = told.flights.slice(0, MOST_FLIGHTS_OF_A_BEAT);
  return told;
}

function tellDot(replay, beat, told, _uses, { dot, multiply, end }, roles) {
  const who = capital(threadName(told.thread));
  const { stored } = told;
  const place = (element) => elementName(roles.tile, element);
  if (beat.kind === "wait") return dot.wait(roles.width >> (dotLevelBefore(replay, beat, roles) ?? 0));
  if (beat.kind === "multiply" && told.operands.every(Boolean) && told.operands.length) {
    const [a, b] = told.operands;
    const coloured = (text, hue) => make("b", { class: `of-${hue}` }, text);
    return [multiply(who, coloured(short(a.value), "A"), coloured(short(b.value), "B"), short(a.value * b.value)), dot.multiplyWhy(told.threads.length, GRID[0] * THREADS, P.k)];
  }
  if (beat.kind === "share" && stored) return dot.share(who, short(stored.value), place(stored.element));
  if (beat.kind === "fold" && stored) {
    const [own, other] = [...stored.from].sort((one, two) => one.element - two.element);
    return dot.fold(who, [short(other.value), place(other.element)], [short(own.value), place(own.element)], short(stored.value), roles.width >> beat.level, roles.width);
  }
  if (beat.kind === "store" && stored) return dot.store(who, short(stored.value), elementName(roles.c, stored.element));
  return end(who);
}

// How many times pairs were added when a barrier is reached.
function dotLevelBefore(replay, beat, { levels }) {
  const done = levels.map((level) => [...level.values()].some(({ index }) => index < beat.first));
  return done.lastIndexOf(true);
}

function tellDotPage(page, { texts, roles }, _replay, _picked, answer) {
  const { dot } = texts;
  if (page.kind === "host") {
    const sums = ARRAYS[roles.c].after.map(asNumber);
    const total = sums.reduce((sum, value) => sum + value, 0);
    return { copy: dot.copy(counted(P.k)), launch: dot.launch(GRID[0], THREADS), back: dot.back(sums.length), sum: dot.sum(sums.slice(0, 6).map(short).join(" + ") + (sums.length > 6 ? " + …" : ""), counted(total)) }[page.which];
  }
  const isTree = page.kind === "tree";
  const steps = Math.log2(roles.width);
  if (page.isOpen) {
    const choices = isTree ? [steps, roles.width / 2, roles.width - 1].map((number) => [String(number), number === steps]) : dot.askBarrier.slice(1).map((text, i) => [text, i === 1]);
    return [isTree ? dot.askTree(roles.width) : dot.askBarrier[0], choices.map(([text, isRight]) => answerButton(text, () => answer(isRight)))];
  }
  const [sentence, because] = isTree ? [dot.tellTree(steps, roles.width), dot.tellTreeWhy(roles.width - 1)] : dot.tellBarrier(LESSON.without["2"].problem.tile / 32);
  return [judgement(page, texts) + sentence, isTree ? because : [because, ...linksToRuns(texts)]];
}

// Once the host has copied them, all blocks' sums are there.
function drawHost(page, { scene, roles }, replay, picked) {
  if (page.which !== "back" && page.which !== "sum") return false;
  scene.show(replay, null, dotToldOf(replay, null, picked, roles), picked);
  scene.C.show(ARRAYS[roles.c].after.map(asNumber), () => "now", scene.largestSum);
  return true;
}

// The host program around the kernel, as in seed 004, with the numbers of this launch.
function hostProgram({ a, c }) {
  const size = ARRAYS[a].type === "float64" ? 8 : 4;
  const [bytes, partial] = [P.k * size, sizeOf(ARRAYS[c]) * size];
  return {
    copy: [`cudaMalloc(&dA, ${bytes});`, `cudaMalloc(&dB, ${bytes});`, `cudaMalloc(&dC, ${partial});`, `cudaMemcpy(dA, A, ${bytes}, cudaMemcpyHostToDevice);`, `cudaMemcpy(dB, B, ${bytes}, cudaMemcpyHostToDevice);`],
    launch: [`${TRACE.kernel.entry}<<<${GRID[0]}, ${THREADS}>>>(dA, dB, dC, ${P.k});`],
    back: [`cudaMemcpy(C, dC, ${partial}, cudaMemcpyDeviceToHost);`],
    sum: [`for (int i = 1; i < ${sizeOf(ARRAYS[c])}; ++i)`, "    C[0] += C[i];"],
  };
}

function dotKey(page, texts, roles) {
  if (page?.kind !== "host") return null;
  const parts = Object.entries(hostProgram(roles)).map(([which, lines]) => make("li", { class: which === page.which ? "now" : null }, make("code", {}, lines.join("\n"))));
  return [make("h2", {}, texts.dot.host), make("ol", { class: "host" }, ...parts)];
}

// Steps of adding: as a tree, and as many numbers one by one.
class DotScore extends Score {
  constructor(node) {
    super(node, ["own", "other"]);
  }

  show(replay, _thread, { dot, of }, _planned, isAsked) {
    const { levels, width } = this.roles;
    const last = levels.map((level) => Math.max(...[...level.values()].map(({ index }) => index)));
    const done = last.slice(1).filter((index) => index < replay.at).length;
    setText(byId("score-title"), dot.score(width));
    const counts = { own: [done, levels.length - 1], other: [width - (width >> done), width - 1] };
    for (const { kind, title, dots, count } of this.lines) {
      const isSecret = isAsked && kind === "own";
      setText(title, kind === "own" ? dot.asTree : dot.oneByOne);
      setText(count, isSecret ? "?" : of(...counts[kind].map(counted)));
      dots.style.visibility = isSecret ? "hidden" : "";
      this.fill(dots, ...counts[kind], Math.max(width - 1, MOST_DOTS + 1));
    }
    setText(byId("ratio"), isAsked ? "" : dot.ratio(levels.length - 1, width - 1));
  }
}

STORIES.push({
  rolesOf: dotRolesOf, beatsOf: dotBeatsOf, stopsOf: dotStopsOf, toldOf: dotToldOf, usesOf: () => new Map(),
  Scene: DotScene, Score: DotScore,
  tell: tellDot,
  begin: ({ dot }, block) => dot.begin(THREADS, block),
  tellPage: tellDotPage,
  draw: drawHost,
  says: (texts) => ({ ...texts, ...texts.dot }),
  // A sum is due after the step of the tree before; all of them end in the block's one.
  made: levelOf,
  due: (step) => (step.kind === "store" && isShared(step.array) && levelOf(step) > 0 ? levelOf(step) - 1 : null),
  sumsOf: (number) => Array.from({ length: THREADS }, () => new Set(elementsOfThreads(number).flatMap((elements) => [...elements]))),
  key: dotKey,
  ends: ({ dot }) => [dot.before, dot.after],
  last: "host",
  isUpright: true,
});
