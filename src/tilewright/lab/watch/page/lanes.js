// The lanes of a warp: which sectors of global memory they read, which banks of shared memory they want, who gives a
// number to whom. Drawn from the elements that the lanes really accessed.

const [LANE, LANE_GAP, LANE_TOP, LANE_ROOM] = [22, 4, 16, 54];
const WORD_BYTES = 4;
const [SECTOR_WORDS, BANKS, MOST_SECTORS, MOST_DEEP] = [8, 32, 12, 8];
const ITEM_BYTES = { float64: 8, int64: 8, uint64: 8, float16: 2, bfloat16: 2, int16: 2, uint16: 2, int8: 1, uint8: 1, bool: 1 };
const itemBytes = (array) => ITEM_BYTES[array.type] ?? WORD_BYTES;

class Lanes {
  constructor(node) {
    this.node = node;
    this.title = make("h2");
    this.list = make("div", { class: "lanes" });
    node.append(this.title, this.list);
  }

  // steps: those of a beat, or one; the latest accesses of one warp are drawn.
  show(steps, picked) {
    const drawn = steps.filter((step) => step.elements.length && (step.array >= 0 || step.kind === "give")).slice(-3);
    const key = `${drawn.map((step) => step.number).join()} ${picked} ${texts.name}`;
    if (key === this.key) return;
    this.key = key;
    setText(this.title, texts.lanes.title);
    this.list.replaceChildren(...(drawn.length ? drawn.map((step) => this.draw(step, picked)) : [make("p", { class: "note" }, texts.lanes.none)]));
  }

  draw(step, picked) {
    const picture = step.kind === "give" ? given(step) : step.kind === "atomic" ? inTurn(step) : isShared(step.array) ? banked(step) : sectored(step);
    const [width, height] = [Math.max(32 * LANE, picture.width), LANE_TOP + LANE + LANE_ROOM + picture.height];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": picture.says });
    const lane = (number) => [number * LANE + (LANE - LANE_GAP) / 2, LANE_TOP + LANE - LANE_GAP];
    const mine = step.warp === Math.floor(picked / 32) ? picked % 32 : -1;
    for (const [from, to, look] of picture.lines) {
      const [x, y] = lane(from);
      const bottom = LANE_TOP + LANE + LANE_ROOM;
      svg.append(draw("path", { class: `way ${look ?? ""}${from === mine || (step.kind === "give" && picture.laneOf(to) === mine) ? " mine" : ""}`, d: `M ${x} ${y} C ${x} ${y + 24}, ${to} ${bottom - 24}, ${to} ${bottom}` }));
    }
    svg.append(draw("text", { x: 0, y: 11, class: "axis" }, texts.lanes.lanes(step.warp)));
    for (let number = 0; number < 32; number++) {
      const place = step.place.get(number);
      const value = place === undefined ? "" : String(number);
      svg.append(draw("rect", { x: number * LANE, y: LANE_TOP, width: LANE - LANE_GAP, height: LANE - LANE_GAP, rx: 3, class: `lane${place === undefined ? " off" : ""}${number === mine ? " mine" : ""}` }));
      svg.append(draw("text", { x: number * LANE + (LANE - LANE_GAP) / 2, y: LANE_TOP + 13, class: "axis middle" }, value));
    }
    const below = draw("g", { transform: `translate(0, ${LANE_TOP + LANE + LANE_ROOM})` });
    below.append(...picture.parts);
    svg.append(below);
    const hue = step.array < 0 ? "C" : grids[step.array].hue();
    return make("figure", { class: `of-${hue}` }, make("figcaption", {}, picture.says), make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": texts.lanes.title }, svg));
  }
}

// Coalescing: the sectors that a request touches, with the words of each that somebody wanted.
function sectored(step) {
  const bytes = itemBytes(ARRAYS[step.array]);
  const sectors = new Map();
  step.elements.forEach((element, place) => {
    for (let at = element * bytes; at < (element + step.count) * bytes; at += Math.min(bytes, WORD_BYTES)) {
      const word = Math.floor(at / WORD_BYTES);
      const sector = Math.floor(word / SECTOR_WORDS);
      if (!sectors.has(sector)) sectors.set(sector, new Map());
      const words = sectors.get(sector);
      if (!words.has(word % SECTOR_WORDS)) words.set(word % SECTOR_WORDS, new Set());
      words.get(word % SECTOR_WORDS).add(step.lanes[place]);
    }
  });
  const order = [...sectors.keys()].sort((one, two) => one - two);
  const shown = order.slice(0, MOST_SECTORS);
  const side = Math.min(LANE - 2, (32 * LANE) / (shown.length * (SECTOR_WORDS + 0.7)));
  const [parts, lines] = [[], []];
  shown.forEach((sector, number) => {
    const x = number * side * (SECTOR_WORDS + 0.7);
    parts.push(draw("rect", { x, y: 0, width: side * SECTOR_WORDS, height: LANE, class: "sector", rx: 3 }));
    for (let word = 0; word < SECTOR_WORDS; word++) {
      const lanes = sectors.get(sector).get(word);
      parts.push(draw("rect", { x: x + word * side + 1, y: 2, width: side - 2, height: LANE - 4, class: `word${lanes ? " used" : ""}` }));
      for (const lane of lanes ?? []) lines.push([lane, x + (word + 0.5) * side]);
    }
    parts.push(draw("text", { x: x + (side * SECTOR_WORDS) / 2, y: LANE + 14, class: "axis middle" }, side > 7 ? `${sector * SECTOR_WORDS * WORD_BYTES}` : ""));
  });
  const used = [...sectors.values()].reduce((sum, words) => sum + words.size, 0) * WORD_BYTES;
  const says = texts.lanes.sectors(ARRAYS[step.array].name, step.kind === "store", step.lanes.length, order.length, used, order.length * SECTOR_WORDS * WORD_BYTES, order.length - shown.length);
  return { parts, lines, says, width: 0, height: LANE + 18 };
}

// Bank conflicts: a column for each bank, a square for each word of it that is wanted; one word a bank at a time.
function banked(step) {
  const array = ARRAYS[step.array];
  const [bytes, first] = [itemBytes(array), (array.at ?? 0) / WORD_BYTES];
  const banks = Array.from({ length: BANKS }, () => new Map());
  step.elements.forEach((element, place) => {
    for (let at = element * bytes; at < (element + step.count) * bytes; at += Math.min(bytes, WORD_BYTES)) {
      const word = first + Math.floor(at / WORD_BYTES);
      const words = banks[((word % BANKS) + BANKS) % BANKS];
      if (!words.has(word)) words.set(word, []);
      words.get(word).push(step.lanes[place]);
    }
  });
  const [parts, lines] = [[], []];
  const deepest = Math.max(1, ...banks.map((words) => words.size));
  const height = Math.min(deepest, MOST_DEEP);
  banks.forEach((words, bank) => {
    const x = bank * LANE;
    parts.push(draw("text", { x: x + (LANE - LANE_GAP) / 2, y: 12 + height * LANE + 4, class: "axis middle" }, String(bank)));
    if (!words.size) parts.push(draw("rect", { x, y: 0, width: LANE - LANE_GAP, height: LANE - LANE_GAP, rx: 3, class: "word" }));
    [...words].slice(0, MOST_DEEP).forEach(([, lanes], deep) => {
      parts.push(draw("rect", { x, y: deep * LANE, width: LANE - LANE_GAP, height: LANE - LANE_GAP, rx: 3, class: `word used${words.size > 1 ? " turn" : ""}` }));
      if (deep === MOST_DEEP - 1 && words.size > MOST_DEEP) parts.push(draw("text", { x: x + (LANE - LANE_GAP) / 2, y: deep * LANE + 13, class: "axis middle" }, "…"));
      else parts.push(draw("text", { x: x + (LANE - LANE_GAP) / 2, y: deep * LANE + 13, class: "axis middle" }, String(lanes[0])));
    });
    for (const lane of [...words.values()].flat()) lines.push([lane, x + (LANE - LANE_GAP) / 2, words.size > 1 ? "turn" : ""]);
  });
  const says = texts.lanes.banks(array.name, step.kind === "store", step.lanes.length, step.wavefronts, step.ideal);
  return { parts, lines, says, width: 0, height: height * LANE + 20 };
}

// A shuffle: below, the lanes again, each with what it is given.
function given(step) {
  const middle = (lane) => lane * LANE + (LANE - LANE_GAP) / 2;
  const parts = step.lanes.flatMap((lane, place) => {
    const value = short(step.values[place]?.[0]);
    return [draw("rect", { x: lane * LANE, y: 0, width: LANE - LANE_GAP, height: LANE - LANE_GAP, rx: 3, class: "lane" }), draw("text", { x: middle(lane), y: 13, class: "axis middle" }, value.length > 2 ? "" : value), draw("title", {}, `${lane}: ${value}`)];
  });
  const own = step.elements.filter((source, place) => source === step.lanes[place]).length;
  const lines = step.elements.map((source, place) => [Math.min(31, source), middle(step.lanes[place]), source === step.lanes[place] ? "own" : ""]);
  return { parts, lines, says: texts.lanes.give(step.lanes.length - own, own), width: 0, height: LANE + 2, laneOf: (x) => Math.floor(x / LANE) };
}

// An atomic: the elements that are changed, and how many lanes want each, one after the other.
function inTurn(step) {
  const wanted = new Map();
  step.elements.forEach((element, place) => wanted.set(element, [...(wanted.get(element) ?? []), step.lanes[place]]));
  const shown = [...wanted].slice(0, 10);
  const wide = (32 * LANE) / shown.length;
  const [parts, lines] = [[], []];
  shown.forEach(([element, lanes], number) => {
    const x = number * wide;
    const last = step.values[step.place.get(lanes[lanes.length - 1])]?.[0];
    parts.push(draw("rect", { x, y: 0, width: Math.min(wide - 6, 130), height: LANE, rx: 3, class: `word used${lanes.length > 1 ? " turn" : ""}` }));
    parts.push(draw("text", { x: x + Math.min(wide - 6, 130) / 2, y: 15, class: "axis middle" }, wide > 60 ? `${elementName(step.array, element)} = ${short(last)}` : short(last)));
    for (const lane of lanes) lines.push([lane, x + Math.min(wide - 6, 130) / 2, lanes.length > 1 ? "turn" : ""]);
  });
  const most = Math.max(...[...wanted.values()].map((lanes) => lanes.length));
  return { parts, lines, says: texts.lanes.atomic(ARRAYS[step.array].name, step.lanes.length, wanted.size, most), width: 0, height: LANE + 4 };
}
