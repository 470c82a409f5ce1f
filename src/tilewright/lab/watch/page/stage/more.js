// After the run: how a matrix lies in memory, where the kernel's variables live, how far warps drift apart without
// barriers, and on what machine the thesis measured; before it, how threads in one line share C. Each is a page that
// covers the picture; what it shows was recorded or compiled, or is the thesis's.

const MOST_IN_A_STRIP = 64;
const MORE = { line: linePage, index: indexPage, memories: memoriesPage, timing: timingPage, machine: machinePage };

function morePages(replay, roles) {
  const found = [];
  if (HAS_TILES && PAIR === 1 && indexedLoad(replay, roles, 0)) found.push({ kind: "index", seconds: 6 });
  if (LESSON.memories) found.push({ kind: "memories", seconds: 8 });
  if (LESSON.timing) found.push({ kind: "timing", seconds: 8 });
  if (LESSON.machine) found.push({ kind: "machine", seconds: 6 });
  return found;
}

// The load of A by a thread in the last phase in which it has one: the element's number is the address that it computed.
function indexedLoad(replay, { a }, thread) {
  if (sizeOf(ARRAYS[a]) > MOST_IN_A_STRIP) return null;
  const loads = replay.steps.filter((step) => step.kind === "load" && step.array === a && step.threads.includes(thread));
  const step = loads[loads.length - 1];
  return step && { step, phase: step.phase, element: step.elements[step.threads.indexOf(thread)] };
}

function tellMore(page, replay, picked, texts, roles) {
  if (page.kind === "index") {
    const { element, phase } = indexedLoad(replay, roles, picked) ?? indexedLoad(replay, roles, 0);
    const thread = indexedLoad(replay, roles, picked) ? picked : 0;
    const [x, y] = threadIndex(thread);
    const [row, column] = indicesOf(ARRAYS[roles.a], element);
    return texts.more.index(threadName(thread), blockName(replay.block), elementName(roles.a, element), `${row} · ${P.k} + ${column} = ${element}`, `${replay.block[1]} · ${BLOCK_SIZE[1]} + ${y} = ${row}`, `${phase} · ${BLOCK_SIZE[0]} + ${x} = ${column}`);
  }
  if (page.kind === "memories") return texts.more.memories();
  if (page.kind === "machine") return texts.more.machine;
  if (page.kind === "line") return texts.more.lineOf(counted(THREADS), counted(sizeOf(ARRAYS[roles.c])), counted(GRID[0]));
  const [good, bad] = LESSON.timing;
  return texts.more.timing(good.drift, counted(good.bytes), bad.drift, counted(bad.bytes));
}

// The matrix, and the same numbers in one line, as they lie in memory.
function indexPage(node, replay, picked, texts, roles) {
  const found = indexedLoad(replay, roles, picked) ?? indexedLoad(replay, roles, 0);
  const read = new Set(found.step.elements);
  const look = (at, row) => (at === found.element ? "mine" : read.has(at) ? "now" : row % 2 ? "odd" : "");
  drawStrip(node, ARRAYS[roles.a], "A", texts.more.strip, found.element, look, (at) => short(asNumber(ARRAYS[roles.a].before[at])));
}

// C, and the threads of a block in one line: figure 4.1 of the thesis. A thread's number is that of its element.
function linePage(node, _replay, picked, texts, roles) {
  const { shape } = ARRAYS[roles.c];
  const told = Math.min(picked, shape[0] * shape[1] - 1);
  drawStrip(node, ARRAYS[roles.c], "C", texts.more.line(counted(shape[0] * shape[1] - 1), counted(THREADS - 1)), told, (at) => (at === told ? "mine" : "now"), String);
}

// An array as a matrix and, below it, as one line, with the way of one element.
function drawStrip(node, { name, shape: [rows, columns] }, hue, title, told, look, value) {
  const { width, height } = node.getBoundingClientRect();
  const [wide, high] = [width - 32, height - 24];
  const count = rows * columns;
  const strip = Math.min(34, wide / count);
  const side = Math.max(12, Math.min(44, wide / columns, (high - strip - 110) / rows));
  const svg = draw("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": title, class: `index of-${hue}` });
  const [left, bottom] = [(wide - columns * side) / 2, 30 + rows * side + 50];
  const from = (wide - count * strip) / 2;
  svg.append(draw("text", { x: left, y: 18, class: "label" }, name), draw("text", { x: from, y: bottom + Math.max(strip, 17) + 36, class: "label" }, title));
  let way = null;
  for (let at = 0; at < count; at++) {
    const row = Math.floor(at / columns);
    const [x, y] = [left + (at % columns) * side, 28 + row * side];
    svg.append(draw("rect", { x, y, width: side - 2, height: side - 2, class: `cell ${look(at, row)}` }), draw("text", { x: x + side / 2 - 1, y: y + side / 2 + 4, class: "number" }, side >= 18 ? value(at) : ""));
    const across = from + at * strip;
    svg.append(draw("rect", { x: across, y: bottom, width: strip - 1, height: Math.max(strip - 1, 16), class: `cell ${look(at, row)}` }));
    if (strip >= 16) svg.append(draw("text", { x: across + strip / 2, y: bottom + strip / 2 + 4, class: "number" }, value(at)));
    if (strip >= 22 || at % columns === 0) svg.append(draw("text", { x: across + strip / 2, y: bottom + Math.max(strip, 17) + 14, class: "axis middle" }, String(at)));
    if (at === told) way = draw("path", { class: "way", d: `M ${x + side / 2} ${y + side - 2} Q ${across} ${(y + bottom) / 2}, ${across + strip / 2} ${bottom}` });
  }
  svg.append(way);
  node.replaceChildren(svg);
}

// The thesis's table 4.1, and what the table of chips knows of its GPU.
function machinePage(node, _replay, _picked, texts) {
  const { machine: { printed, chip } } = LESSON;
  const { table, known } = texts.more;
  const rows = (words, values) => words.map((word, i) => make("tr", {}, make("th", { scope: "row" }, word), make("td", { translate: "no" }, values[i])));
  node.replaceChildren(make("table", { class: "machine" }, make("caption", {}, table[0]), ...rows(table.slice(1), printed)), make("table", { class: "machine" }, make("caption", {}, known[0]), ...rows(known.slice(1), chip.map(counted))));
}

// Boxes in boxes: the grid has global and constant memory, a block shared memory, a thread registers.
function memoriesPage(node, _replay, _picked, texts) {
  const { words } = texts.more;
  const box = (scope) => {
    const own = LESSON.memories.filter((each) => each.scope === scope);
    const kinds = [...new Set(own.map(({ memory }) => memory))];
    return make("section", { class: `scope ${scope}` }, make("h3", {}, words[scope]), ...kinds.map((kind) => make("p", { class: `of-${{ global: "A", shared: "B", register: "C", constant: "A" }[kind] ?? "C"}` }, make("b", {}, `${words[kind] ?? kind}: `), make("span", { translate: "no" }, own.filter(({ memory }) => memory === kind).map(({ shown }) => shown).join(", ")))));
  };
  const [grid, block, thread] = ["grid", "block", "thread"].map(box);
  block.append(thread);
  grid.append(block);
  node.replaceChildren(grid);
}

// A line for each warp: the phase that it works on, over the accesses of the block; good timing above, bad below.
function timingPage(node, _replay, _picked, texts) {
  const phases = 1 + Math.max(...LESSON.timing.flatMap(({ bins }) => bins.flat()));
  node.replaceChildren(...LESSON.timing.map(({ bins, drift, bytes }, i) => {
    // Drawn in pixels, so that its print is as large as the rest of the page's.
    const [wide, row] = [Math.min(760, node.clientWidth - 100), Math.max(12, Math.min(17, (node.clientHeight - 190) / (2 * bins.length)))];
    const [width, height] = [wide + 58, bins.length * row];
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": texts.more.timings[i], class: "timing of-C" });
    bins.forEach((line, warp) => {
      svg.append(draw("text", { x: 0, y: warp * row + row - 4, class: "axis" }, texts.names.warpsOf(warp, 1)));
      const step = wide / line.length;
      for (let at = 0; at < line.length; ) {
        let end = at;
        while (line[end] === line[at] && end < line.length) end += 1;
        const [x, across] = [56 + at * step, (end - at) * step];
        if (line[at] > -2) svg.append(draw("rect", { x, y: warp * row + 1, width: Math.max(across - 1, 1), height: row - 3, class: line[at] < 0 ? "waits" : "phase", style: `--depth: ${15 + Math.round((65 * line[at]) / phases)}%` }));
        if (line[at] >= 0 && across > 14) svg.append(draw("text", { x: x + across / 2, y: warp * row + row - 4, class: "axis middle" }, String(line[at])));
        at = end;
      }
    });
    return make("figure", {}, make("figcaption", {}, make("b", {}, texts.more.timings[i]), ` ${texts.more.drift(drift, counted(bytes))}`), svg);
  }));
}
