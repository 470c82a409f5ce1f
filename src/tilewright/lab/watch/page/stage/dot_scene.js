// The picture of a dot product: A, B and the partial sums C in global memory; below, the block's threads and its shared
// sums after each step of the tree. A thread stands below the elements that it multiplies, and above its sum.

const LARGEST_OF_DOT = 44;
const LEAST_HEIGHT = 24;
const ROOM_OF_LINES = 0.55;
// Fewer sums have more room each, and leave some beside them for the name of their row.
const WIDTHS = [1, 1.5, 3];
const ROOM_FOR_NAME = 0.75;

class DotScene extends Picture {
  constructor(svg, roles) {
    super(svg, roles);
    const { a, b, c, width, levels } = roles;
    const rows = (number) => Math.ceil(sizeOf(ARRAYS[number]) / width);
    this.lines = draw("g");
    this.back.append(this.lines);
    [this.A, this.B] = [[a, "A"], [b, "B"]].map(([number, hue]) => new Squares(this.back, ARRAYS[number].name, hue, rows(number), width, number));
    this.C = new Squares(this.back, ARRAYS[c].name, "C", 1, sizeOf(ARRAYS[c]), c);
    this.threads = new Squares(this.back, "", "C", 1, width, null);
    this.levels = levels.map((_, level) => new Squares(this.back, "", "C", 1, width >> level, null));
    for (const squares of [this.A, this.B]) squares.cells.slice(sizeOf(ARRAYS[squares.name])).forEach(({ box, text }) => { box.remove(); text.remove(); });
    this.folds = this.levels.slice(1).map(({ columns }) => Array.from({ length: columns }, () => {
      const pair = [draw("path", { class: "fold" }), draw("path", { class: "fold" })];
      this.lines.append(...pair);
      return pair;
    }));
    const largest = (number) => Math.max(1, ...(ARRAYS[number].after ?? ARRAYS[number].before).map((value) => Math.abs(asNumber(value)) || 0));
    [this.largest, this.largestSum] = [Math.max(largest(a), largest(b)), largest(c)];
  }

  // The same squares tell of the host; beside them stands its program.
  widen(isWide) {
    this.isWide = isWide;
  }

  fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const { width: columns } = this.roles;
    const above = this.A.rows + this.B.rows + 1;
    const below = 1 + this.levels.length + ROOM_OF_LINES * (this.levels.length - 1);
    // A heading and the labels of A, B and C; a heading and the labels of the threads and of the first sums.
    const [head, labels] = [26, [3 * LABEL, 2 * LABEL]];
    const room = height - 2 * head - SPACE - 16 - labels[0] - labels[1];
    const wide = Math.min(LARGEST_OF_DOT, (width - 24) / columns);
    // On a phone squares are higher than wide, so that a digit can be read.
    const side = Math.max(2, Math.min(Math.max(wide, LEAST_HEIGHT), room / (above + below)));
    const spare = Math.max(0, room - side * (above + below)) / 2;
    const half = Math.round(head + labels[0] + side * above + 8 + spare);
    this.ground(0, 0, 0, width, half);
    this.ground(1, 0, half + SPACE, width, height - half - SPACE);
    const left = (width - columns * wide) / 2;
    const long = (values) => Math.max(1, ...values.map((value) => short(value).length));
    const digits = long(Array.from({ length: this.largest > 9 ? 2 : 1 }, () => this.largest));
    let y = head + LABEL;
    for (const squares of [this.A, this.B, this.C]) {
      squares.place(left, y, side, squares === this.C ? long([this.largestSum]) : digits, 0.5, 0, squares === this.C ? Math.max(wide * WIDTHS[1], Math.min(LARGEST_OF_DOT, (width - 24) / squares.columns)) : wide);
      y += squares.rows * side + LABEL;
    }
    y = half + SPACE + head + LABEL;
    const longest = this.roles.levels.map((level) => long([...level.values()].map(({ value }) => value)));
    this.threads.place(left, y, side, longest[0], 0.5, 0, wide);
    y += side + LABEL;
    this.levels.forEach((squares, level) => {
      const usual = wide * WIDTHS[Math.min(level, WIDTHS.length - 1)];
      squares.place(left, y, side, longest[level], 0.5, 0, level > 1 ? Math.max(usual, Math.min(LARGEST_OF_DOT, (ROOM_FOR_NAME * columns * wide) / squares.columns)) : usual);
      // Beside a shorter row there is room for its name.
      if (level > 0) { squares.label.setAttribute("x", left + squares.columns * squares.wide + 10); squares.label.setAttribute("y", y + side / 2 + 4); }
      y += side * (1 + ROOM_OF_LINES);
    });
    this.folds.forEach((pairs, level) => pairs.forEach((pair, i) => {
      const [from, to] = [this.levels[level], this.levels[level + 1]];
      const [x, bottom] = to.middle(i);
      [i, i + to.columns].forEach((source, number) => {
        const [u, top] = from.middle(source);
        pair[number].setAttribute("d", `M ${u} ${top + side / 2} L ${x} ${bottom - side / 2}`);
      });
    }));
  }

  name(texts, block) {
    [texts.global, texts.dot.block(block)].forEach(([title], i) => setText(this.panels[i].title, title));
    setText(this.threads.label, texts.dot.threads);
    this.levels.forEach(({ label }, level) => setText(label, level === 0 ? ARRAYS[this.roles.tile].name : texts.dot.level(this.roles.width >> level)));
  }

  show(replay, beat, told, picked) {
    const { roles } = this;
    const mine = new Set(told.mine);
    const look = (key) => (mine.has(key) ? "mine" : told.now.has(key) ? "now" : "");
    for (const squares of [this.A, this.B, this.C]) {
      squares.show(replay.cells[squares.name].map(({ value }) => (Number.isNaN(value) ? null : value)), (i) => `${look(`${squares.name} ${i}`)}${told.spoiled?.get(squares.name)?.has(i) ? " spoiled" : ""}`, squares === this.C ? this.largestSum : this.largest);
    }
    // What a step of the tree reads too early is of the step before.
    const [early, due] = [told.spoiled?.get(roles.tile), (beat?.level ?? 0) - 1];
    const acting = new Set(beat ? told.threads : []);
    const threads = replay.threads.map(({ sums }) => sums[0] ?? null);
    this.threads.show(threads, (thread) => `thread ${replay.threads[thread].status} ${acting.has(thread) ? "acts" : ""} ${thread === picked ? "picked" : ""}`, this.largestSum);
    this.levels.forEach((squares, level) => {
      const values = Array.from({ length: squares.columns }, (_, i) => (roles.levels[level].get(i)?.index < replay.at ? roles.levels[level].get(i).value : null));
      const isBad = (i) => (level === due && early?.has(i)) || (values[i] !== null && roles.levels[level].get(i).isWrong);
      squares.show(values, (i) => `${look(`level ${level} ${i}`) || (values[i] === null ? "" : "tile")}${isBad(i) ? " spoiled" : ""}`, this.largestSum);
      const isNamed = level === 0 || (squares.side > LABEL - 4 && values.some((value) => value !== null));
      squares.label.style.visibility = isNamed ? "" : "hidden";
    });
    this.folds.forEach((pairs, at) => pairs.forEach((pair, i) => {
      const sum = roles.levels[at + 1].get(i);
      const isDone = sum?.index < replay.at;
      const state = isDone ? (sum.isWrong ? "wrong" : mine.has(`level ${at + 1} ${i}`) ? "mine" : told.now.has(`level ${at + 1} ${i}`) ? "now" : "done") : "";
      for (const line of pair) line.setAttribute("class", `fold ${state}`);
    }));
  }

  pointOf({ array, element, thread, level }) {
    if (thread !== undefined) return this.threads.middle(thread);
    return level === undefined ? this.squaresOf(array).middle(element) : this.levels[level].middle(element);
  }

  squaresOf(array) {
    return [this.A, this.B, this.C].find(({ name }) => name === array);
  }

  get squares() {
    return [this.A, this.B, this.C, this.threads];
  }

  threadOf(cell) {
    return cell;
  }
}
