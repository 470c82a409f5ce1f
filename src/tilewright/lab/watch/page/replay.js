// The state of a block after some of its steps: what memory holds, what each thread has and does.

class Replay {
  constructor(number) {
    this.number = number;
    this.block = BLOCKS[number].block;
    this.steps = BLOCKS[number].steps;
    this.tiles = this.tilesByPhase();
    this.reset();
  }

  reset() {
    this.at = 0;
    this.cells = ARRAYS.map((array) =>
      Array.from({ length: sizeOf(array) }, (_, i) => ({ value: asNumber(array.before?.[i] ?? null), isFilled: false })));
    this.threads = Array.from({ length: THREADS }, () => ({
      sums: [], terms: [], adds: [], globalLoads: 0, globalStores: 0, sharedLoads: 0, sharedStores: 0,
      line: null, status: "ready", phase: 0, stored: [], moved: undefined,
    }));
    this.totals = {
      globalLoads: 0, requests: 0, sectors: 0, sharedRequests: 0, wavefronts: 0, ideal: 0, barriers: 0, adds: 0,
    };
    this.phase = 0;
    this.barrierLine = null;
  }

  goTo(at) {
    const target = Math.max(0, Math.min(at, this.steps.length));
    if (target < this.at) this.reset();
    while (this.at < target) this.apply(this.steps[this.at++]);
  }

  get step() {
    return this.at > 0 ? this.steps[this.at - 1] : null;
  }

  apply(step) {
    this.phase = step.phase;
    if (step.kind === "open") {
      for (const thread of this.threads) {
        if (thread.status === "waits" && thread.barrier === step.barrier) thread.status = "ready";
      }
      return;
    }
    for (const number of step.threads) {
      const thread = this.threads[number];
      thread.line = step.line;
      thread.phase = step.phase;
    }
    if (step.kind === "wait") this.wait(step);
    else if (step.kind === "exit") step.threads.forEach((number) => { this.threads[number].status = "done"; });
    else if (step.kind === "add") this.addUp(step);
    else if (step.kind === "give") step.threads.forEach((number, place) => { this.threads[number].moved = step.values[place]?.[0]; });
    else if (step.kind !== "arrive") this.access(step);
  }

  wait(step) {
    this.totals.barriers += 1;
    this.barrierLine = step.line;
    for (const number of step.threads) Object.assign(this.threads[number], { status: "waits", barrier: step.barrier });
  }

  addUp(step) {
    step.threads.forEach((number, place) => {
      const thread = this.threads[number];
      thread.sums[step.sum] = step.values[place]?.[0];
      thread.adds[step.sum] = (thread.adds[step.sum] ?? 0) + 1;
      if (step.sum === 0) thread.terms.push({ factors: step.factors[place], isMixed: step.isMixed });
      this.totals.adds += 1;
    });
  }

  access(step) {
    const shared = isShared(step.array);
    if (!shared) {
      this.totals.requests += 1;
      this.totals.sectors += step.sectors;
    } else if (step.wavefronts) {
      this.totals.sharedRequests += 1;
      this.totals.wavefronts += step.wavefronts;
      this.totals.ideal += step.ideal;
    }
    step.threads.forEach((number, place) => {
      const thread = this.threads[number];
      thread.moved = step.values[place]?.[0];
      if (step.kind === "load") {
        thread[shared ? "sharedLoads" : "globalLoads"] += step.count;
        if (!shared) this.totals.globalLoads += step.count;
        return;
      }
      thread[shared ? "sharedStores" : "globalStores"] += step.count;
      if (!shared && step.array >= 0) thread.stored.push([step.array, step.elements[place]]);
      for (let i = 0; i < step.count && step.array >= 0; i++) {
        const cell = this.cells[step.array][step.elements[place] + i];
        if (cell) Object.assign(cell, { value: step.values[place]?.[i], isFilled: step.isFilled?.[place] ?? false });
      }
    });
  }

  // The elements of global arrays that the block loads in each phase: its tiles.
  tilesByPhase() {
    const tiles = [];
    for (const step of this.steps) {
      if (step.kind !== "load" || !isGlobal(step.array)) continue;
      const sets = (tiles[step.phase] ??= ARRAYS.map(() => new Set()));
      for (const element of step.elements) for (let i = 0; i < step.count; i++) sets[step.array].add(element + i);
    }
    return tiles;
  }

  get phases() {
    return this.steps.reduce((most, step) => Math.max(most, step.phase), 0) + 1;
  }

  // How many threads are at each line.
  occupied() {
    const counts = new Map();
    for (const thread of this.threads) {
      if (thread.line !== null && thread.status !== "done") counts.set(thread.line, (counts.get(thread.line) ?? 0) + 1);
    }
    return new Map([...counts].map(([line, count]) => [line, texts.names.threads(count)]));
  }

  get position() {
    return texts.grids.position(this.at, this.steps.length, this.phase);
  }

  tickName(step) {
    return texts.phase(step.phase);
  }
}
