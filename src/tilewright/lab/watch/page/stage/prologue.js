// The pictures before the run: how often the kernel without tiles reads each element, and all blocks at work at once.

const READS = ["one", "two", "all"];

// which: one thread of the kernel without tiles, the one beside it, or all of them. Heat is how often a number was read.
function showReads(scene, replay, which, texts) {
  const { A, B, C } = scene;
  const threads = which === "all" ? C.rows * C.columns : READS.indexOf(which) + 1;
  const isRead = (squares, i) => (squares === A ? i < PAIR * A.columns : i % B.columns < PAIR * threads);
  const counts = (squares, all) => all.map((count, i) => (which === "all" ? count : isRead(squares, i) ? (squares === A ? threads : 1) : null));
  const most = Math.max(...LESSON.reads.A, ...LESSON.reads.B);
  const latest = threads - 1;
  const look = (squares) => (i) => (which !== "all" && isRead(squares, i) && (squares === A || i % B.columns >= PAIR * latest) ? "mine" : "heat");
  A.show(counts(A, LESSON.reads.A), look(A), most, texts.times);
  B.show(counts(B, LESSON.reads.B), look(B), most, texts.times);
  C.show(C.cells.map(() => null), (i) => (which === "all" ? "now" : i === latest ? "mine" : i < latest ? "now" : ""), 1);
  scene.showBlocks([]);
}

function tellReads(which, texts, { c }) {
  const element = (i) => elementName(c, i);
  const loads = 2 * P.k * PAIR;
  if (which === "one") return (PAIR > 1 ? texts.reads.onePair : texts.reads.one)(element(0), 0, 0, loads);
  if (which === "two") return (PAIR > 1 ? texts.reads.twoPair : texts.reads.two)(element(1), 0);
  const { A, B, loads: all } = LESSON.reads;
  return texts.reads.all(counted((P.m * P.n) / PAIR ** 2), counted(A.length + B.length), counted(all), A[0], B[0]);
}

// Every block's part of C, and the tiles that each recorded block loads first.
function showAllBlocks(scene, replay) {
  const first = new Map();
  for (const { steps } of BLOCKS) {
    for (const step of steps) {
      if (step.phase > 0) break;
      if (step.kind !== "load" || !isGlobal(step.array)) continue;
      if (!first.has(step.array)) first.set(step.array, new Set());
      for (const element of step.elements) first.get(step.array).add(element);
    }
  }
  const values = (squares) => replay.cells[squares.name].map(({ value }) => value);
  for (const squares of [scene.A, scene.B]) squares.show(values(squares), (i) => (first.get(squares.name)?.has(i) ? "tile" : ""), scene.largest);
  scene.C.show(scene.C.cells.map(() => null), () => "", 1);
  scene.showBlocks(allBlocks(scene.roles));
}

// Each block's part of C: its index, its first row and column, and its extent in squares.
function allBlocks({ places, c }) {
  const [height, width] = ARRAYS[c].shape;
  const found = [];
  for (let y = 0; y < GRID[1]; y++) {
    for (let x = 0; x < GRID[0]; x++) {
      const [top, left] = [y * places.rows, x * places.columns];
      found.push({ block: [x, y, 0], top, left, rows: Math.min(places.rows, height - top), columns: Math.min(places.columns, width - left) });
    }
  }
  return found.filter(({ rows, columns }) => rows > 0 && columns > 0);
}

// What every block loads first, on its way to the block.
function flightsToBlocks(scene) {
  const placed = new Map(allBlocks(scene.roles).map((part) => [part.block.join(), part]));
  const flights = [];
  for (const { block, steps } of BLOCKS) {
    const part = placed.get(block.join());
    for (const step of part ? steps : []) {
      if (step.phase > 0) break;
      if (step.kind !== "load" || !isGlobal(step.array)) continue;
      step.elements.forEach((element, place) => {
        const to = { point: scene.C.pointOf(part.top + part.rows / 2, part.left + part.columns / 2) };
        flights.push({ from: { array: step.array, element }, to, value: step.values[place]?.[0], hue: step.array === scene.roles.a ? "A" : "B" });
      });
    }
  }
  return flights.slice(0, MOST_FLIGHTS_OF_A_BEAT);
}
