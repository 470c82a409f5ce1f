// The seeds' tables, generated from the trace: which elements each thread multiplies in which order, and what it does
// phase by phase. Where the problem is seed 001's example they can be read in its notation: subscripts column first,
// phases counted from 1. Everywhere else they are row first, and phases count from 0.

const MOST_THREADS = 8;
const IS_SEED_001 = HAS_SUMS && P.operation === "matmul" && P.m === 4 && P.n === 4 && P.k === 4 && P.tile === 2 &&
  BLOCK_SIZE.join() === "2,2,1";
const SEED_NAMES = { A: "M", B: "N", C: "P" };

class Tables {
  constructor(node) {
    this.node = node;
    this.isSeed = IS_SEED_001;
    this.first = 0;
    node.hidden = !HAS_SUMS && !HAS_TILES;
    this.summary = make("summary");
    this.box = make("div");
    this.details = make("details", { id: "tables" }, this.summary, this.box);
    this.details.open = THREADS <= MOST_THREADS;
    this.details.addEventListener("toggle", () => { if (this.replay) this.show(this.replay, this.picked, true); });
    node.append(this.details);
  }

  say() {
    const { tables: says } = texts;
    setText(this.summary, says.summary([...(HAS_SUMS ? [says.order] : []), ...(HAS_TILES ? [says.phases] : [])]));
    this.key = undefined;
  }

  show(replay, picked, isAnew = false) {
    const first = Math.floor(picked / MOST_THREADS) * MOST_THREADS;
    const key = `${replay.number} ${first} ${this.isSeed}`;
    this.replay = replay;
    this.picked = picked;
    if (!this.details.open) return;
    if (isAnew || this.key !== key) {
      this.key = key;
      this.threads = Array.from({ length: Math.min(MOST_THREADS, THREADS - first) }, (_, i) => first + i);
      this.build(replay);
    }
    this.tick(replay);
  }

  build(replay) {
    this.marks = [];
    const elements = elementsOfThreads(replay.number);
    this.box.replaceChildren();
    if (IS_SEED_001) this.box.append(this.choice(replay));
    const { tables: says } = texts;
    const shown = this.threads.length < THREADS ? says.some(this.threads[0], this.threads[this.threads.length - 1], THREADS) : "";
    if (HAS_SUMS) this.box.append(make("h3", {}, says.orderTitle + shown), this.accessOrder(replay, elements));
    if (HAS_TILES) this.box.append(make("h3", {}, says.phasesTitle), this.phaseTable(replay));
  }

  choice(replay) {
    const box = make("input", { type: "checkbox", id: "notation" });
    box.checked = this.isSeed;
    box.addEventListener("change", () => { this.isSeed = box.checked; this.show(replay, this.picked, true); });
    return make("p", { class: this.isSeed ? "marked" : "note" }, make("label", {}, box, texts.tables.notation), make("br"), this.isSeed ? texts.tables.seed : texts.tables.usual);
  }

  // An element: A[1][2], or in seed 001's notation M with the subscripts 2,1.
  element(number, flat, inPhases = false) {
    const array = ARRAYS[number];
    const indices = indicesOf(array, flat);
    if (!this.isSeed) return make("span", {}, elementName(number, flat));
    const tile = array.name.match(/_([AB])$/);
    const letter = tile ? `${SEED_NAMES[tile[1]]}ds` : (SEED_NAMES[array.name] ?? array.name) + (inPhases ? "d" : "");
    return make("span", {}, letter, make("sub", {}, indices.reverse().join(",")));
  }

  thread(number) {
    const [x, y] = threadIndex(number);
    return this.isSeed ? make("span", {}, texts.page.thread.toLowerCase(), make("sub", {}, `${x},${y}`)) : make("span", {}, threadName(number));
  }

  products(replay, number) {
    const found = [];
    for (const step of replay.steps) {
      const place = step.kind === "add" && step.sum === 0 ? step.threads.indexOf(number) : -1;
      if (place >= 0) found.push({ factors: step.factors[place], isMixed: step.isMixed, phase: step.phase });
    }
    return found;
  }

  accessOrder(replay, elements) {
    const columns = this.threads.map((number) => this.products(replay, number));
    const head = make("tr", {}, make("td", { class: "corner" }, texts.tables.head));
    for (const number of this.threads) {
      const stored = TRACE.sums > 1 ? [] : [...elements[number]].slice(0, 1).map((element) => this.element(RESULT, element));
      head.append(make("th", { scope: "col" }, ...stored, make("br"), this.thread(number)));
    }
    const body = make("tbody");
    for (let i = 0; i < Math.max(0, ...columns.map((column) => column.length)); i++) {
      const line = make("tr", {}, make("th", { scope: "row" }, String(i + (this.isSeed ? 1 : 0))));
      columns.forEach((column, at) => {
        const cell = make("td", {}, ...(column[i] ? this.product(column[i]) : []));
        if (column[i]) this.marks.push({ cell, number: this.threads[at], from: i, to: i + 1 });
        line.append(cell);
      });
      body.append(line);
    }
    const note = make("caption", {}, make("span", {}, texts.tables.orderIs(TRACE.sums)));
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": texts.tables.orderTitle }, make("table", { class: "order" }, note, make("thead", {}, head), body));
  }

  product({ factors, isMixed }) {
    const parts = [];
    if (isMixed) {
      const roots = rootsOf(factors.flat());
      return [texts.tables.mixed, ...roots.flatMap((root, i) => [...(i ? [", "] : []), this.element(root.array, root.element)])];
    }
    factors.forEach((loads, i) => {
      const roots = rootsOf(loads);
      if (i) parts.push(this.isSeed ? " * " : " × ");
      if (loads.length && isShared(loads[0].array) && loads[0].behind && !loads[0].behind.length) parts.push("0");
      else if (roots.length > 1) parts.push("(", ...roots.flatMap((root, j) => [...(j ? [" + "] : []), this.element(root.array, root.element)]), ")");
      else parts.push(...(roots.length ? [this.element(roots[0].array, roots[0].element)] : ["?"]));
    });
    return parts;
  }

  phaseTable(replay) {
    const phases = Array.from({ length: replay.phases }, (_, phase) => phase);
    const head = make("tr", {}, make("td", { class: "corner" }));
    for (const phase of phases) head.append(make("th", { scope: "colgroup", colspan: HAS_SUMS ? "3" : "2" }, texts.tables.phase(phase + (this.isSeed ? 1 : 0))));
    const body = make("tbody");
    for (const number of this.threads) {
      const line = make("tr", {}, make("th", { scope: "row" }, this.isSeed ? make("span", {}, "T", make("sub", {}, threadIndex(number).slice(0, 2).join(","))) : threadName(number)));
      let before = 0;
      for (const phase of phases) {
        const stores = this.storesOf(replay, number, phase);
        for (let i = 0; i < 2; i++) line.append(make("td", { class: "fill" }, ...(stores[i] ?? ["·"])));
        if (!HAS_SUMS) continue;
        const added = this.products(replay, number).filter((product) => product.phase === phase);
        const cell = make("td", {}, ...this.sumOf(added));
        this.marks.push({ cell, number, from: before, to: before + added.length });
        before += added.length;
        line.append(cell);
      }
      body.append(line);
    }
    const note = make("caption", {}, make("span", {}, texts.tables.phasesAre(HAS_SUMS)));
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": texts.tables.phasesTitle }, make("table", { class: "order" }, note, make("thead", {}, head), body));
  }

  storesOf(replay, number, phase) {
    const found = [];
    for (const step of replay.steps) {
      const place = step.kind === "store" && step.phase === phase && isShared(step.array) ? step.threads.indexOf(number) : -1;
      if (place < 0) continue;
      const from = step.from[place].flatMap((load, i) => [...(i ? [" + "] : []), this.element(load.array, load.element, true)]);
      found.push([...(from.length ? from : ["0"]), make("br"), "↓", make("br"), this.element(step.array, step.elements[place])]);
    }
    return found;
  }

  sumOf(added) {
    const parts = [this.isSeed ? "PValue += " : "sum += "];
    added.forEach(({ factors }, i) => {
      if (i) parts.push(" + ");
      factors.forEach((loads, j) => {
        if (j) parts.push(this.isSeed ? "*" : " × ");
        parts.push(...(loads.length ? [this.element(loads[0].array, loads[0].element)] : ["?"]));
      });
    });
    return added.length ? parts : ["·"];
  }

  // Done, now and to come, by how often the thread has added.
  tick(replay) {
    for (const { cell, number, from, to } of this.marks) {
      const adds = replay.threads[number].adds[0] ?? 0;
      const look = adds >= to && to > from ? (adds === to ? "now" : "past") : adds > from ? "now" : "";
      if (cell.className !== look) cell.className = look;
    }
  }
}
