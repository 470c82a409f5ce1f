// After the run: every tile from 1 to 32, its loads as they were counted, and what bounds it on some chips.

class TileChoice {
  constructor(node) {
    this.node = node;
    const { tiles } = LESSON.tiles;
    this.at = Math.max(0, tiles.indexOf(P.tile));
    this.range = make("input", { type: "range", min: "0", max: String(tiles.length - 1), id: "tile-range" });
    this.chips = make("select", { id: "tile-chip" }, ...LESSON.tiles.chips.map(({ name }, i) => make("option", { value: String(i) }, name)));
    this.labels = [make("label", { for: "tile-range" }), make("label", { for: "tile-chip" })];
    this.says = ["loads", "takes", "holds"].map((part) => make("p", { class: part }));
    this.plot = draw("svg", { role: "img", class: "plot" });
    node.append(make("div", { class: "choose" }, this.labels[0], this.range, this.labels[1], this.chips), this.plot, ...this.says);
    this.range.addEventListener("input", () => { this.at = Number(this.range.value); this.show(this.texts); });
    this.chips.addEventListener("change", () => this.show(this.texts));
    // Drawn in pixels, so that its print is as large as the rest of the page's.
    new ResizeObserver(() => { if (this.texts) this.show(this.texts); }).observe(node);
  }

  show(texts) {
    this.texts = texts;
    const { tiles, loads, threads, shared_bytes: bytes, chips } = LESSON.tiles;
    const [i, chip] = [this.at, chips[Number(this.chips.value || 0)]];
    setText(this.labels[0], `${texts.tile} ${tiles[i]}`);
    setText(this.labels[1], texts.chip);
    this.range.value = String(i);
    this.range.setAttribute("aria-valuetext", `${texts.tile} ${tiles[i]}`);
    setText(this.says[0], texts.loadsAre(counted(loads[i]), short(Math.round((10 * loads[0]) / loads[i]) / 10)));
    setText(this.says[1], texts.takes(counted(threads[i]), counted(bytes[i])));
    setText(this.says[2], chip.blocks[i] ? texts.holds(chip.name, chip.blocks[i], texts.resources[chip.limited_by[i]], counted(chip.blocks[i] * threads[i])) : texts.refuses(chip.name, counted(chip.threads_per_block)));
    this.draw(loads, chip, texts);
  }

  // Dots on a logarithmic axis, a decade or less to a line; a cross where the chip takes no such block.
  draw(loads, chip, texts) {
    const { width, height } = this.plot.getBoundingClientRect();
    if (!width) return;
    this.plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const { tiles } = LESSON.tiles;
    const [left, right, top, bottom] = [64, width - 8, 32, height - 28];
    const [least, most] = [Math.log2(loads[loads.length - 1]), Math.log2(loads[0])];
    const x = (i) => left + 10 + ((right - left - 20) * i) / (loads.length - 1);
    const y = (count) => bottom - ((bottom - top) * (Math.log2(count) - least)) / (most - least);
    const parts = [draw("title", {}, texts.plot), draw("text", { x: 4, y: 14, class: "axis" }, texts.plot)];
    for (let power = Math.ceil(least); power <= most; power += 1) {
      const at = y(2 ** power);
      parts.push(draw("line", { x1: left, x2: right, y1: at, y2: at, class: "rule" }), draw("text", { x: left - 6, y: at + 4, class: "axis end" }, counted(2 ** power)));
    }
    loads.forEach((count, i) => {
      const isTaken = chip.blocks[i] > 0;
      parts.push(draw("circle", { cx: x(i), cy: y(count), r: i === this.at ? 8 : 5, class: `dot${isTaken ? "" : " none"}${i === this.at ? " now" : ""}` }));
      if (i === 0 || tiles[i] % 4 === 0) parts.push(draw("text", { x: x(i), y: bottom + 20, class: "axis middle" }, String(tiles[i])));
    });
    this.plot.replaceChildren(...parts);
  }
}
