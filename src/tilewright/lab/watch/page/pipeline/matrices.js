// A, B and C small, as they are multiplied: which box of them moves, is held by a stage, is multiplied, is stored.

const LONGEST_PX = 240;
const SHORTEST_PX = 34;

class Matrices {
  constructor(node) {
    this.node = node;
    const names = ARRAYS.map(({ name }) => name);
    this.isProduct = P.operation === "matmul" && ["A", "B", "C"].every((name) => names.includes(name));
    node.classList.toggle("product", this.isProduct);
    this.drawn = ARRAYS.map((array) => this.build(array));
    this.fit();
  }

  build({ name, rows, columns }) {
    const box = make("div", { class: "matrix", role: "img" });
    const place = { A: "left", B: "top", C: "inner" }[name] ?? "";
    const title = make("div", { class: "title" }, make("b", {}, name), make("span", { class: "note" }, ` ${rows > 1 ? `${rows} × ` : ""}${columns}`));
    const node = make("div", { class: `array of-${["A", "B", "C"].includes(name) ? name : "A"} ${this.isProduct ? place : ""}` }, title, box);
    this.node.append(node);
    return { box, node };
  }

  // To scale, as far as a side is long enough to be seen.
  fit() {
    const width = this.node.clientWidth - 20;
    const widths = this.isProduct ? P.k + P.n : Math.max(...ARRAYS.map(({ columns }) => columns));
    const heights = this.isProduct ? P.k + P.m : Math.max(...ARRAYS.map(({ rows }) => rows));
    const scale = Math.min(width / widths, (2 * LONGEST_PX) / heights, LONGEST_PX / Math.max(widths / 2, 1));
    const side = (size) => Math.max(SHORTEST_PX, Math.min(size * scale, this.isProduct ? width - SHORTEST_PX : width));
    ARRAYS.forEach(({ rows, columns }, number) => {
      this.drawn[number].box.style.cssText = `width: ${side(columns)}px; height: ${side(rows)}px`;
    });
  }

  show(replay) {
    this.drawn.forEach(({ box }, number) => {
      const parts = regionsOf(replay, number);
      const { rows, columns, name } = ARRAYS[number];
      box.replaceChildren(...parts.map(([[top, bottom, left, right], look, text, title]) => {
        const part = make("span", { class: `part is-${look}`, title }, text);
        part.style.cssText = `left: ${(100 * left) / columns}%; top: ${(100 * top) / rows}%; width: ${(100 * (right - left)) / columns}%; height: ${(100 * (bottom - top)) / rows}%`;
        return part;
      }));
      box.setAttribute("aria-label", parts.length ? `${name}: ${parts.map((part) => part[3]).join("; ")}` : texts.pipeline.still(name));
    });
  }
}

// What is to be seen of an array: region, look, text in it, title.
function regionsOf(replay, number) {
  const found = [];
  const active = replay.active;
  const { region: said, looks, held } = texts.pipeline;
  replay.state.stages.forEach((slots, stage) => slots.forEach((slot, place) => {
    if (replay.stages[stage].slots[place].array !== number || !slot.region || slot.state === "empty") return;
    if (slot.state !== "arriving") found.push([slot.region, "held", String(stage), held(slot.text, stage)]);
  }));
  for (const span of replay.spans) {
    const isActive = active.includes(span);
    for (const [array, ...region] of span.regions) {
      if (array !== number || span.begin >= replay.at) continue;
      if (span.kind === "copy" && isActive) found.push([region, "arriving", "⇣", `${said(region)} ${looks.arriving}`]);
      if (span.kind === "store") found.push([region, isActive ? "storing" : "stored", isActive ? "⇡" : "✓", `${said(region)} ${isActive ? looks.storing : looks.stored}`]);
      if (span.kind === "multiply" && isActive) {
        const isSum = ARRAYS[number].name === "C";
        found.push([region, isSum ? "summed" : "multiplied", isSum ? "Σ" : "×", `${said(region)} ${isSum ? looks.summed : looks.multiplied}`]);
      }
    }
  }
  return found;
}
