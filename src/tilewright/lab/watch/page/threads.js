// The threads of the block, laid out as threadIdx says: each with its running sum and what it is doing.

const STATUS = { works: "●", off: "⊘", waits: "❚❚", done: "✓", idle: "–", ready: "" };
const held = () => (HAS_SUMS ? texts.threads.held : texts.threads.moved);

class ThreadGrid {
  constructor(pick) {
    this.pick = pick;
    this.columns = BLOCK_SIZE[1] > 1 || BLOCK_SIZE[2] > 1 ? BLOCK_SIZE[0] : Math.min(LINE, BLOCK_SIZE[0]);
    this.buttons = [];
    this.node = this.build();
  }

  build() {
    const table = make("table", { class: "grid threads", role: "grid" });
    const head = make("tr", {}, make("td", { class: "corner" }, BLOCK_SIZE[1] > 1 ? "y\\x" : "x"));
    for (let x = 0; x < this.columns; x++) head.append(make("th", { scope: "col" }, String(x)));
    table.append(make("thead", {}, head));
    const body = make("tbody");
    for (let first = 0; first < THREADS; first += this.columns) {
      const [x, y, z] = threadIndex(first);
      const name = BLOCK_SIZE[2] > 1 ? `${y}, ${z}` : BLOCK_SIZE[1] > 1 ? String(y) : String(x);
      const line = make("tr", {}, make("th", { scope: "row" }, name));
      for (let number = first; number < Math.min(first + this.columns, THREADS); number++) {
        const button = make("button", { type: "button", tabindex: "-1" });
        button.append(make("i", { "aria-hidden": "true" }), make("span"));
        button.addEventListener("click", () => this.pick(number));
        this.buttons.push(button);
        line.append(make("td", { role: "gridcell" }, button));
      }
      body.append(line);
    }
    table.append(body);
    this.table = table;
    table.style.setProperty("--columns", String(this.columns));
    table.addEventListener("keydown", (event) => this.move(event));
    return make("div", { class: "scroll box tall" }, table);
  }

  // Each thread is named anew when it is shown.
  say() {
    this.table.setAttribute("aria-label", texts.threads.label);
    for (const button of this.buttons) button.className = "";
  }

  // Arrow keys go from thread to thread; Tab leaves the grid.
  move(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns };
    const at = this.buttons.indexOf(event.target.closest("button"));
    const next = at + (steps[event.key] ?? 0);
    if (at < 0 || next === at || next < 0 || next >= THREADS) return;
    event.preventDefault();
    event.stopPropagation();
    this.pick(next);
    this.buttons[next].focus();
  }

  statusOf(replay, number) {
    const thread = replay.threads[number];
    const step = replay.step;
    if (thread.status === "done") return thread.globalStores ? "done" : "idle";
    if (step?.threads.includes(number)) return step.kind === "wait" ? "waits" : "works";
    if (thread.status === "waits") return "waits";
    return step && step.warp === Math.floor(number / 32) ? "off" : "ready";
  }

  show(replay, picked, warp) {
    const marks = MARKS[replay.number].get(replay.at - 1) ?? [];
    const bad = new Set(marks.filter((mark) => mark.finding.severity === "error").flatMap((mark) => [...mark.lanes]));
    this.buttons.forEach((button, number) => {
      const thread = replay.threads[number];
      const status = this.statusOf(replay, number);
      const isBad = replay.step?.warp === Math.floor(number / 32) && bad.has(number % 32);
      const sum = short(HAS_SUMS ? thread.sums.find((value) => value !== undefined) : thread.moved);
      setText(button.firstChild, isBad ? "✕" : STATUS[status]);
      setText(button.lastChild, sum);
      const other = warp !== null && warp !== Math.floor(number / 32) ? " other" : "";
      const look = `${status}${isBad ? " bad" : ""}${number === picked ? " picked" : ""}${other}`;
      if (button.className === look && button.dataset.sum === sum) return;
      button.className = look;
      button.dataset.sum = sum;
      button.tabIndex = number === picked ? 0 : -1;
      button.setAttribute("aria-pressed", String(number === picked));
      const what = sum === "·" ? texts.threads.none(held()) : `${held()} ${sum}`;
      button.setAttribute("aria-label", `${threadName(number)}: ${what}; ${texts.threads[status]}`);
    });
  }
}

// What the picked thread has: where it is, how its sum came about, how often it went to memory.
function describeThread(replay, picked) {
  const thread = replay.threads[picked];
  const { threads: says } = texts;
  const lines = [];
  const sums = thread.sums.map((value, i) => [value, i]).filter(([value]) => value !== undefined);
  lines.push([says.warp, `${Math.floor(picked / 32)}, ${picked % 32}`]);
  if (!HAS_SUMS) {
    if (P.operation) lines.push([says.sum, says.unknown]);
    lines.push([held(), short(thread.moved)]);
  }
  else if (TRACE.sums > 1) lines.push([says.sums, sums.map(([value]) => short(value)).join(", ") || "·"]);
  else lines.push([says.sum, sumText(thread)]);
  const stored = [...new Set(thread.stored.map(([array, element]) => elementName(array, element)))];
  lines.push([says.stored, stored.slice(-4).join(", ") || says.nothing]);
  lines.push([says.at, thread.line === null ? "·" : lineName(thread.line)]);
  return lines;
}

function sumText(thread) {
  const value = thread.sums[0];
  if (value === undefined) return "·";
  const factor = (loads) => (loads.length > 1 ? `(${loads.map((load) => short(load.value)).join(" + ")})` : short(loads[0]?.value));
  const shown = thread.terms.slice(-4).map(({ factors, isMixed }) =>
    (isMixed ? texts.threads.mixed(factors.flat().map((load) => short(load.value)).join(", ")) : factors.map(factor).join(" × ") || "?"));
  const more = thread.terms.length > shown.length ? "… + " : "";
  return `${more}${shown.join(" + ")} = ${short(value)}`;
}
