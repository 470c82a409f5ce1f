// Arrays as grids of cells. A cell's look says what happens to it; a glyph in its corner says it without colour.

const LINE = 16;

class Grid {
  constructor(number) {
    this.number = number;
    this.array = ARRAYS[number];
    const shape = this.array.shape;
    this.columns = shape.length > 1 ? shape[shape.length - 1] : Math.min(sizeOf(this.array), LINE);
    this.rows = Math.ceil(sizeOf(this.array) / this.columns);
    this.size = sizeOf(this.array);
    this.shown = [];
    this.touched = new Set();
    this.node = this.build();
  }

  build() {
    this.memory = make("span", { class: "note" });
    const title = make("p", { class: `title of-${this.hue()}` }, make("b", {}, this.array.name), ` ${this.extent} `, this.memory);
    const table = make("table", { class: `grid of-${this.hue()}` });
    const head = make("tr", {}, make("td", { class: "corner" }));
    for (let column = 0; column < this.columns; column++) head.append(make("th", { scope: "col" }, String(column)));
    table.append(make("thead", {}, head));
    const body = make("tbody");
    this.cells = [];
    for (let row = 0; row < this.rows; row++) {
      const line = make("tr", {}, make("th", { scope: "row" }, String(this.isLine() ? row * this.columns : row)));
      for (let column = 0; column < this.columns && this.cells.length < this.size; column++) {
        const cell = make("td", {}, "·");
        this.cells.push(cell);
        line.append(cell);
      }
      body.append(line);
    }
    table.append(body);
    this.table = table;
    table.style.setProperty("--columns", String(this.columns));
    table.addEventListener("pointerover", (event) => this.name(event.target));
    this.beyond = make("p", { class: "beyond", hidden: "" });
    this.box = make("div", { class: "scroll box", tabindex: "0", role: "group" }, table);
    const isMatrix = this.array.space !== "shared" && !this.isLine();
    this.area = isMatrix ? { A: "left", B: "top", C: "inner" }[this.array.name] ?? null : null;
    return make("div", { class: `array ${this.area ?? ""}` }, title, this.box, this.beyond);
  }

  get extent() {
    return this.array.shape.join(" × ");
  }

  say() {
    const memory = texts.names[this.array.space === "shared" ? "shared" : "global"];
    setText(this.memory, memory);
    this.table.setAttribute("aria-label", `${this.array.name}, ${this.extent}, ${memory}`);
    this.box.setAttribute("aria-label", texts.grids.array(this.array.name));
  }

  setSide(side) {
    this.side = side;
    this.table.style.setProperty("--side", `${side}px`);
  }

  // Scrolls what happens into sight, once for each new place.
  reveal(element) {
    const place = `${Math.floor(element / this.columns / 8)} ${Math.floor((element % this.columns) / 8)}`;
    if (place === this.scrolled || this.rows * this.columns <= 64) return;
    const pitch = this.side + GAP;
    const [row, column] = [Math.floor(element / this.columns), element % this.columns];
    this.scrolled = place;
    // Not at once: the browser would have to lay out the page before the other parts have changed.
    requestAnimationFrame(() => this.box.scrollTo(Math.max(0, (column - 2) * pitch), Math.max(0, (row - 2) * pitch)));
  }

  // The element under the pointer, by its name.
  name(node) {
    const at = this.cells.indexOf(node);
    if (at < 0) return;
    const filled = node.classList.contains("filled") ? texts.grids.filled : "";
    node.title = `${elementName(this.number, at)} = ${node.textContent}${filled}`;
  }

  isLine() {
    return this.array.shape.length < 2;
  }

  hue() {
    const name = this.array.name.toUpperCase();
    const own = P.operation ? ["A", "B", "C"].find((letter) => name === letter || name.endsWith(letter)) : null;
    if (own) return own;
    if (RESULTS.includes(this.number)) return "C";
    return ARRAYS.slice(0, this.number).filter((array) => array.space === this.array.space).length % 2 ? "B" : "A";
  }

  // Shows what the cells hold, then what the step does to them.
  show(replay, picked) {
    const cells = replay.cells[this.number];
    for (let i = 0; i < this.size; i++) {
      const { value, isFilled } = cells[i];
      const key = isFilled ? `z${value}` : value;
      if (this.shown[i] !== key) {
        this.shown[i] = key;
        this.cells[i].textContent = short(value);
        this.cells[i].classList.toggle("filled", isFilled);
      }
    }
    this.showTile(replay);
    this.showAccess(replay, picked);
  }

  // What lies outside of the array has no cell to light up: it is named below it.
  showBeyond(step) {
    const outside = [...new Set(step.elements.filter((element) => element < 0 || element + step.count > this.size))].sort((a, b) => a - b);
    this.beyond.hidden = outside.length === 0;
    const names = outside.map((element) => elementName(this.number, element));
    const shown = names.length > 4 ? `${names[0]} … ${names[names.length - 1]}` : names.join(", ");
    setText(this.beyond, texts.grids.outside(this.array.name, shown));
  }

  showTile(replay) {
    const tile = replay.at > 0 && this.array.space !== "shared" && HAS_TILES ? replay.tiles[replay.phase]?.[this.number] : null;
    if (tile === this.tile) return;
    for (const element of this.tile ?? []) this.cells[element]?.classList.remove("tile");
    for (const element of tile ?? []) this.cells[element]?.classList.add("tile");
    this.tile = tile;
  }

  showAccess(replay, picked) {
    for (const element of this.touched) this.cells[element].classList.remove("read", "written", "mine", "bad", "collides");
    this.touched.clear();
    this.beyond.hidden = true;
    const step = replay.step;
    if (!step || step.array !== this.number || !step.elements.length) return;
    this.reveal(Math.max(0, Math.min(...step.elements)));
    const marks = MARKS[replay.number].get(replay.at - 1) ?? [];
    this.showBeyond(step);
    const colliding = new Set(step.conflict?.slice(1).flat());
    step.elements.forEach((element, place) => {
      for (let i = 0; i < step.count; i++) {
        const cell = this.cells[element + i];
        if (!cell) continue;
        this.touched.add(element + i);
        cell.classList.add(step.kind === "load" ? "read" : "written");
        if (step.threads[place] === picked) cell.classList.add("mine");
        if (colliding.has(step.lanes[place])) cell.classList.add("collides");
        if (marks.some((mark) => mark.finding.severity === "error" && mark.lanes.has(step.lanes[place]))) cell.classList.add("bad");
      }
    });
  }
}
