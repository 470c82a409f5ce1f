// The step in a sentence, and who waits for whom.

function tellStep(replay, picked) {
  const step = replay.step;
  if (!step) return `${blockName(replay.block)} has not begun. ${plural(THREADS, "thread")}, ${plural(WARPS, "warp")}.`;
  if (step.kind === "open") return "All threads have come to the barrier: it opens, and they go on.";
  const who = WARPS > 1 ? `Warp ${step.warp}` : "The warp";
  const where = step.line ? `, ${lineName(step.line)}` : "";
  const some = plural(step.threads.length, "thread");
  return `${who}${where}: ${some} ${tellVerb(step)}. ${tellPicked(replay, step, picked)}`.trim();
}

function tellVerb(step) {
  const one = step.threads.length === 1;
  const verb = (plain) => (one ? `${plain}s` : plain);
  if (step.kind === "wait") return `${verb("wait")} at the barrier`;
  if (step.kind === "arrive") return `${verb("arrive")} at barrier ${step.barrier} without waiting`;
  if (step.kind === "exit") return verb("end");
  if (step.kind === "add") return `${verb("add")} ${P.operation ? "a product " : ""}to ${one ? "its sum" : "their sums"}`;
  if (step.kind === "give") return `${one ? "gets" : "get"} numbers from each other's registers, by a shuffle`;
  const names = step.elements.map((element) => elementName(step.array, element));
  const distinct = [...new Set(names)];
  const shown = distinct.length > 4 ? `${distinct[0]} … ${distinct[distinct.length - 1]}` : distinct.join(", ");
  const memory = isShared(step.array) ? "shared memory" : "global memory";
  if (step.kind === "atomic") return `${one ? "changes" : "change"} ${shown} in ${memory} atomically`;
  if (step.kind === "load") return `${verb("load")} ${shown} from ${memory}`;
  const filled = step.isFilled?.filter(Boolean).length ?? 0;
  const zeros = filled ? `; ${plural(filled, "of them writes 0", "of them write 0")}, ${P.operation ? "for what lies outside" : "having loaded nothing"}` : "";
  return `${verb("store")} to ${shown || "memory"} in ${memory}${zeros}`;
}

function tellPicked(replay, step, picked) {
  const place = step.threads.indexOf(picked);
  const name = threadName(picked);
  if (place < 0) {
    const isOff = step.warp === Math.floor(picked / 32) && replay.threads[picked].status !== "done";
    return isOff && step.array >= 0 ? `${name[0].toUpperCase()}${name.slice(1)} is switched off.` : "";
  }
  const value = short(step.values[place]?.[0]);
  if (step.kind === "give") return `${capital(name)} gets ${value} from ${threadName(32 * step.warp + step.elements[place])}.`;
  const subject = name[0].toUpperCase() + name.slice(1);
  if (step.kind === "load") return `${subject}: ${elementName(step.array, step.elements[place])} is ${value}.`;
  if (step.kind === "store" && step.array >= 0) {
    const zero = step.isFilled?.[place] ? " without having loaded anything" : "";
    return `${subject}: ${elementName(step.array, step.elements[place])} becomes ${value}${zero}.`;
  }
  if (step.kind === "add") return `${subject}: its sum becomes ${value}.`;
  return "";
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
  if (!waiting.length) return "Nobody waits.";
  const names = (warps) => `${warps.length === 1 ? "warp" : "warps"} ${ranges(warps)}`;
  if (replay.at === replay.steps.length) return `The launch is over, and ${plural(lost, "thread")} of ${names(waiting)} still wait.`;
  const awaited = [...(coming.length ? [names(coming)] : []), ...(parted ? [`${plural(parted, "other thread")} of ${waiting.length === 1 ? "its own" : "their own warps"}`] : [])];
  const forWhom = awaited.length ? ` for ${awaited.join(" and for ")}` : ", and everyone is here";
  return `At ${lineName(replay.barrierLine)}: ${names(waiting)} ${waiting.length === 1 ? "waits" : "wait"}${forWhom}.`;
}
