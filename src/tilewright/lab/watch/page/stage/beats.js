// The steps of a block as beats, the story's unit: a warp loads its part of a tile, waits, or makes one multiply-add.

// The stories that this page can tell: each adds itself.
const STORIES = [];

function beatsOf({ steps }, roles) {
  const beats = [];
  let open = null;
  steps.forEach((step, index) => {
    const kind = beatKind(step, roles);
    // What stores and ends is one beat.
    const goesOn = open && (kind === open.kind || (kind === "end" && open.kind === "store") || (open.kind === null && kind === "multiply"));
    // Warps that have nothing to do end one after the other: that is one beat, too.
    const isSame = goesOn && step.phase === open.phase && (step.warp === open.warp || step.warp < 0 || (kind === "end" && open.kind === "end"));
    if (!isSame) beats.push((open = { kind: null, warp: step.warp, phase: step.phase, first: index }));
    open.kind ??= kind;
    open.end = index + 1;
    // One multiply-add is one beat.
    if (step.kind === "add") open = null;
  });
  nameWaits(beats);
  return beats;
}

// What a step is a part of; null: of the multiply-add that it loads for.
function beatKind(step, { a, b, c, tiles }) {
  if (step.kind === "wait" || step.kind === "open" || step.kind === "arrive") return "wait";
  if (step.kind === "exit") return "end";
  if (step.kind === "add") return "multiply";
  if (step.kind === "give") return null;
  if (step.kind !== "load") return step.array === c ? "store" : step.array === tiles?.[1] ? "load B" : "load A";
  if (tiles && step.array === a) return "load A";
  if (tiles && step.array === b) return "load B";
  return null;
}

// A wait before the first multiply-add of a phase is for complete tiles, one after it for readers.
function nameWaits(beats) {
  const multiplied = new Set();
  for (const beat of beats) {
    if (beat.kind === "multiply") multiplied.add(`${beat.phase} ${beat.warp}`);
    if (beat.kind === "wait") beat.isLast = multiplied.has(`${beat.phase} ${beat.warp}`);
  }
}

// How often, and by which threads, each element of A and B that a block loads is multiplied in a phase, by "array element".
function usesOf({ steps }, phase) {
  const uses = new Map();
  for (const step of steps) {
    if (step.kind !== "add" || step.phase !== phase) continue;
    step.threads.forEach((thread, place) => {
      for (const root of rootsOf(step.factors[place].flat())) {
        const key = `${root.array} ${root.element}`;
        if (!uses.has(key)) uses.set(key, new Set());
        uses.get(key).add(thread);
      }
    });
  }
  return uses;
}
