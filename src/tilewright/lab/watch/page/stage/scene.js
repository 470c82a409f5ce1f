// The picture: global memory with A, B and C, and the block with its tiles and threads. A thread stands where its row
// of tile_A meets its column of tile_B. Drawn in pixels, anew at each size of the window. Before the run, global memory
// has all the room.

const SIDE_WITH_PRODUCT = 52;
const SMALLEST_WITH_ARC = 12;
// The largest sides of squares, as on a projector.
const [LARGEST_WIDE, LARGEST_GLOBAL, LARGEST_OF_BLOCK] = [120, 90, 160];

class Scene extends Picture {
  constructor(svg, roles) {
    super(svg, roles);
    const global = (number, hue) => new Squares(this.back, ARRAYS[number].name, hue, ...ARRAYS[number].shape, number);
    [this.A, this.B, this.C] = [global(roles.a, "A"), global(roles.b, "B"), global(roles.c, "C")];
    this.tiles = (roles.tiles ?? []).map((number, i) => new Squares(this.back, ARRAYS[number].name, "AB"[i], ...ARRAYS[number].shape, number));
    const { rows, columns, of } = roles.places;
    this.threads = new Squares(this.back, "", "C", rows, columns, null);
    this.cellOf = of.map((place) => place && place[0] * columns + place[1]);
    this.threadAt = new Map(this.cellOf.flatMap((cell, thread) => (cell === null ? [] : [[cell, thread]])));
    this.products = this.threads.cells.map(() => draw("text", { class: "product" }));
    this.blocks = draw("g");
    this.inside = draw("g");
    this.frame = draw("rect", { class: "frame", rx: 4 });
    this.frameName = draw("text", { class: "frame-name" });
    this.inside.append(this.panels[1].box, this.panels[1].title, this.panels[1].note, ...this.tiles.map(({ node }) => node), this.threads.node, ...this.products, this.frame, this.frameName);
    this.back.append(this.inside, this.blocks);
    this.arcs = ["arc of-A", "arc of-B", "arc also of-A", "arc also of-B"].map((name) => draw("path", { class: name }));
    this.front.append(...this.arcs);
    this.largest = Math.max(1, ...[roles.a, roles.b].flatMap((number) => (ARRAYS[number].before ?? []).map((value) => Math.abs(asNumber(value)) || 0)));
    this.largestSum = Math.max(1, ...(ARRAYS[roles.c].after ?? []).map((value) => Math.abs(asNumber(value)) || 0));
  }

  // isWide: global memory alone is shown, over the whole width.
  widen(isWide) {
    if (this.isWide === isWide) return;
    this.isWide = isWide;
    this.inside.style.display = isWide ? "none" : "";
    this.front.style.visibility = "";
    for (const arc of this.arcs) arc.style.display = "none";
    if (!isWide) this.showBlocks([]);
    this.fit();
  }

  // Fits both panels into the room that the window leaves.
  fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const half = Math.round(width * (this.tiles.length ? 0.48 : 0.56));
    if (this.isWide) {
      this.ground(0, 0, 0, width, height);
      this.cross(0, width, height, [this.A, this.B, this.C], LARGEST_WIDE, { digits: 2, sums: 2, scale: PAIR });
      this.placeBlocks();
      return;
    }
    this.ground(0, 0, 0, half - SPACE / 2, height);
    this.ground(1, half + SPACE / 2, 0, width - half - SPACE / 2, height);
    const long = (array) => Math.max(1, ...(array.before ?? array.after ?? []).map((value) => short(asNumber(value)).length));
    const digits = Math.max(long(ARRAYS[this.roles.a]), long(ARRAYS[this.roles.b]));
    const sums = long({ after: ARRAYS[this.roles.c].after });
    const inner = { digits, sums };
    this.cross(0, half - SPACE / 2, height, [this.A, this.B, this.C], LARGEST_GLOBAL, { ...inner, scale: PAIR });
    const [tileA, tileB] = this.tiles;
    this.cross(half + SPACE / 2, width - half - SPACE / 2, height, [tileA ?? null, tileB ?? null, this.threads], LARGEST_OF_BLOCK, inner);
    this.products.forEach((text, i) => {
      const [x, y] = this.threads.middle(i);
      text.setAttribute("x", x);
      text.setAttribute("y", y - this.threads.side * 0.27);
      text.style.display = this.threads.side >= SIDE_WITH_PRODUCT ? "" : "none";
    });
    this.frameBlock();
  }

  // Frames around the part of C of each block: before the run.
  showBlocks(parts) {
    if (this.parts === parts) return;
    this.parts = parts;
    this.blocks.replaceChildren(...parts.flatMap((part) => [(part.box = draw("rect", { class: "frame", rx: 4 })), (part.name = draw("text", { class: "block-name" }, indexName(part.block, GRID)))]));
    this.placeBlocks();
  }

  placeBlocks() {
    for (const { box, name, top, left, rows, columns } of this.parts ?? []) {
      const [x, y] = this.C.pointOf(top, left);
      const [width, height] = [columns * this.C.side, rows * this.C.side];
      for (const [key, value] of Object.entries({ x, y, width, height })) box.setAttribute(key, value);
      name.setAttribute("x", x + width / 2);
      name.setAttribute("y", y + height / 2);
      name.style.display = width > 44 && height > 16 ? "" : "none";
    }
  }

  // B above, A on the left, and where they meet what becomes of them. scale: how many rows, and columns, meet in one
  // square: it is as large as they are.
  cross(x, width, height, [left, above, inner], most, { digits, sums, scale = 1 }) {
    const columns = (left?.columns ?? 0) + Math.max(above?.columns ?? 0, scale * inner.columns);
    const rows = (above?.rows ?? 0) + Math.max(left?.rows ?? 0, scale * inner.rows);
    const [gap, labels] = [left ? SPACE : 0, above ? 2 * LABEL : LABEL];
    const room = height - this.top - labels - 10;
    const side = Math.max(2, Math.min(most, (width - 24 - gap) / columns, room / rows));
    const from = x + (width - columns * side - gap) / 2;
    const top = this.top + LABEL + Math.max(0, (room - rows * side) / 2);
    const [acrossA, downB] = [(left?.columns ?? 0) * side + gap, above ? above.rows * side + LABEL : 0];
    left?.place(from, top + downB, side, digits);
    above?.place(from + acrossA, top, side, digits);
    // Above a thread's sum is room for its latest product.
    const [share, down] = inner === this.threads && side >= SIDE_WITH_PRODUCT ? [0.36, 0.13] : [0.5, 0];
    inner.place(from + acrossA, top + downB, scale * side, sums, share, down);
  }

  frameBlock() {
    const { top, left, rows, columns } = this.roles.places;
    const { x, y, side } = this.C;
    const [shown, across] = [Math.min(rows, this.C.rows - top), Math.min(columns, this.C.columns - left)];
    for (const [key, value] of Object.entries({ x: x + left * side - 2, y: y + top * side - 2, width: across * side + 2, height: shown * side + 2 })) this.frame.setAttribute(key, value);
  }

  name(texts, block) {
    const of = [texts.global, (this.tiles.length ? texts.block : texts.threadsOnly)(block)];
    this.panels.forEach(({ title, note }, i) => { title.textContent = of[i][0]; note.textContent = of[i][1]; });
  }

  show(replay, beat, told, picked) {
    const bad = told.spoiled;
    const plain = looksOf(replay, beat, told, this.roles);
    const look = (array) => {
      const [state, spoiled] = [plain(array), bad?.get(array)];
      return spoiled?.size ? (element) => `${state(element)}${spoiled.has(element) ? " spoiled" : ""}` : state;
    };
    const values = (squares) => replay.cells[squares.name].map(({ value }) => (Number.isNaN(value) ? null : value));
    for (const squares of [this.A, this.B, ...this.tiles]) squares.show(values(squares), look(squares.name), this.largest);
    this.C.show(values(this.C), look(this.C.name), this.largestSum);
    this.showThreads(replay, beat, told, picked);
    this.showArcs(beat, told);
  }

  showThreads(replay, beat, told, picked) {
    const sums = this.threads.cells.map((_, cell) => replay.threads[this.threadAt.get(cell)]?.sums[0] ?? null);
    const acting = new Set(beat ? told.threads : []);
    this.threads.show(sums, (cell) => {
      const thread = this.threadAt.get(cell);
      const status = told.isWaiting && acting.has(thread) ? "waits" : (replay.threads[thread]?.status ?? "done");
      return `thread ${status} ${acting.has(thread) ? "acts" : ""} ${thread === picked ? "picked" : ""} ${told.isSpoiled?.(thread) ? "spoiled" : ""}`;
    }, this.largestSum);
    if (this.threads.side >= SIDE_WITH_PRODUCT) this.products.forEach((text, cell) => {
      const thread = this.threadAt.get(cell);
      const terms = replay.threads[thread]?.terms ?? [];
      const isNow = beat?.kind === "multiply" && acting.has(thread);
      if (!isNow && !text.isWritten) return;
      text.isWritten = isNow;
      const factors = isNow ? productOf(terms[terms.length - 1], this.roles) : [];
      this.write(text, factors, told.operands);
      const size = isNow ? textSize(this.threads.side, text.textContent.length, 0.22) : 0;
      text.style.fontSize = `${size || SMALLEST_TEXT}px`;
      text.style.visibility = size ? "" : "hidden";
    });
  }

  // A product; a factor has the colour of its matrix where it is one of the two that are told of.
  write(text, factors, operands) {
    const parts = factors.map((factor, i) => {
      const isTold = factor && operands[i] && factor.array === operands[i].array && factor.element === operands[i].element;
      return draw("tspan", isTold ? { class: `told of-${"AB"[i]}` } : {}, factor ? factorText(factor) : "·");
    });
    text.replaceChildren(...parts.flatMap((part, i) => (i ? [draw("tspan", {}, " × "), part] : [part])));
  }

  // From both operands of the thread that is told of, to it; and to one more thread that each serves.
  showArcs(beat, told) {
    const isShown = beat?.kind === "multiply" && this.threads.side >= SMALLEST_WITH_ARC;
    this.arcs.forEach((arc, i) => {
      const [way, operand, thread] = [i % 2, told.operands[i % 2], i < 2 ? told.thread : told.also?.[i % 2]];
      const squares = [this.A, this.B, ...this.tiles].find(({ name }) => name === operand?.array);
      arc.style.display = isShown && squares && thread !== undefined ? "" : "none";
      if (arc.style.display) return;
      const [[x, y], [u, v]] = [squares.middle(operand.element), this.threads.middle(this.cellOf[thread])];
      const [edge, reach] = [squares.side * 0.4, this.threads.side * 0.42];
      const [startX, startY] = way === 0 ? [x + edge, y - edge * 0.7] : [x - edge * 0.7, y + edge];
      const [endX, endY] = way === 0 ? [u - reach, v - reach * 0.5] : [u - reach * 0.5, v - reach];
      const [bendX, bendY] = way === 0 ? [(startX + endX) / 2, Math.min(startY, endY) - squares.side * 0.25] : [Math.min(startX, endX) - squares.side * 0.25, (startY + endY) / 2];
      arc.setAttribute("d", `M ${startX} ${startY} Q ${bendX} ${bendY} ${endX} ${endY}`);
    });
  }

  pointOf({ array, element, thread, point }) {
    return point ?? (thread === undefined ? this.squaresOf(array).middle(element) : this.threads.middle(this.cellOf[thread]));
  }

  squaresOf(array) {
    return [this.A, this.B, this.C, ...this.tiles].find(({ name }) => name === array);
  }

  get squares() {
    return [this.A, this.B, this.C, ...this.tiles, this.threads];
  }

  threadOf(cell) {
    return this.threadAt.get(cell);
  }
}
