// The step in a sentence, and who waits for whom.

function tellStep(replay, picked) {
  const { step: says, names } = texts;
  const step = replay.step;
  if (!step) return says.begin(blockName(replay.block), names.threads(THREADS), names.warps(WARPS));
  if (step.kind === "open") return says.open;
  const all = says.all(says.who(WARPS > 1 ? step.warp : null), step.line && lineName(step.line), names.threads(step.threads.length), tellVerb(step));
  return `${all} ${tellPicked(replay, step, picked)}`.trim();
}

function tellVerb(step) {
  const { step: says, names: { memory: anywhere, global, shared } } = texts;
  const one = step.threads.length === 1;
  if (step.kind === "arrive") return says.arrive(one, step.barrier);
  if (step.kind === "add") return says.add(one, Boolean(P.operation));
  if (["wait", "exit", "give"].includes(step.kind)) return says[step.kind](one);
  const names = step.elements.map((element) => elementName(step.array, element));
  const distinct = [...new Set(names)];
  const shown = distinct.length > 4 ? `${distinct[0]} … ${distinct[distinct.length - 1]}` : distinct.join(", ");
  const memory = isShared(step.array) ? shared : global;
  if (step.kind !== "store") return says[step.kind](one, shown, memory);
  const filled = step.isFilled?.filter(Boolean).length ?? 0;
  return says.store(one, shown || anywhere, memory) + (filled ? says.zeros(filled, Boolean(P.operation)) : "");
}

function tellPicked(replay, step, picked) {
  const { step: says } = texts;
  const place = step.threads.indexOf(picked);
  const name = capital(threadName(picked));
  if (place < 0) {
    const isOff = step.warp === Math.floor(picked / 32) && replay.threads[picked].status !== "done";
    return isOff && step.array >= 0 ? says.isOff(name) : "";
  }
  const value = short(step.values[place]?.[0]);
  if (step.kind === "give") return says.isGiven(name, value, threadName(32 * step.warp + step.elements[place]));
  if (step.kind === "load") return says.isLoaded(name, elementName(step.array, step.elements[place]), value);
  if (step.kind === "store" && step.array >= 0) return says.isStored(name, elementName(step.array, step.elements[place]), value, step.isFilled?.[place]);
  return step.kind === "add" ? says.isAdded(name, value) : "";
}

function tellBarrier(replay) {
  const waiting = [];
  const coming = [];
  let parted = 0;
  for (let warp = 0; warp < WARPS; warp++) {
    const threads = replay.threads.slice(32 * warp, 32 * warp + 32);
    const alive = threads.filter((thread) => thread.status !== "done");
    const absent = alive.filter((thread) => thread.status !== "waits").length;
    if (absent < alive.length) waiting.push(warp);
    if (absent && absent === alive.length) coming.push(warp);
    if (absent && absent < alive.length) parted += absent;
  }
  const lost = replay.threads.filter((thread) => thread.status === "waits").length;
  const { barrier: says, names } = texts;
  if (!waiting.length) return says.nobody;
  const some = (warps) => names.warpsOf(ranges(warps), warps.length);
  if (replay.at === replay.steps.length) return says.over(names.threads(lost), some(waiting), lost === 1);
  const isOne = waiting.length === 1;
  const awaited = [...(coming.length ? [some(coming)] : []), ...(parted ? [says.others(parted, isOne)] : [])];
  return says.waits(lineName(replay.barrierLine), some(waiting), isOne, awaited);
}
