// What the stage draws: A, B and C, the tiles that are filled from A and B, and each thread's place in C. A reduced
// product adds pairs of rows and of columns, so that C has half of their sides. A kernel that is no product, or whose
// threads keep several sums, has no stage: its page begins with the details.

const MOST_CELLS = 4096;
// Rows of A, and columns of B, that make one row or column of C.
const PAIR = P.operation === "reduced_matmul" ? 2 : 1;

function rolesOf({ steps }) {
  if (!["matmul", "reduced_matmul"].includes(P.operation) || TRACE.sums !== 1) return null;
  const c = RESULT;
  const adds = steps.filter((step) => step.kind === "add");
  const roots = adds.flatMap((step) => step.factors.flatMap((factors) => rootsOf(factors.flat()).map((root) => root.array)));
  const read = [...new Set(roots)].filter(isGlobal);
  const [a, b] = read.sort((one, other) => one - other);
  const isMatrix = (number, rows, columns) => ARRAYS[number]?.shape.join() === `${rows},${columns}` && rows * columns <= MOST_CELLS;
  if (read.length !== 2 || !isMatrix(a, P.m, P.k) || !isMatrix(b, P.k, P.n) || !isMatrix(c, P.m / PAIR, P.n / PAIR)) return null;
  const tiles = [a, b].map((array) => steps.find((step) => step.kind === "store" && isShared(step.array) && step.from.flat().some((from) => from.array === array))?.array ?? null);
  if (tiles.some((tile) => (tile === null) !== (tiles[0] === null) || (tile !== null && ARRAYS[tile].shape.length !== 2))) return null;
  const places = placesOf(steps, c);
  return places && { a, b, c, tiles: tiles[0] === null ? null : tiles, places };
}

// The row and the column of each thread in its block's part of C, from what it stores; a thread that stores nothing is
// placed by its index where the others are where their indices say. Of threads in one line it has no place.
function placesOf(steps, c) {
  const stored = new Map();
  for (const step of steps) {
    if (step.kind !== "store" || step.array !== c) continue;
    step.threads.forEach((thread, place) => stored.set(thread, indicesOf(ARRAYS[c], step.elements[place])));
  }
  if (stored.size === 0) return null;
  const top = Math.min(...[...stored.values()].map(([row]) => row));
  const left = Math.min(...[...stored.values()].map(([, column]) => column));
  const places = [];
  const isLine = BLOCK_SIZE[1] === 1 && ARRAYS[c].shape[0] > 1;
  for (let thread = 0; thread < THREADS; thread++) {
    const [x, y] = threadIndex(thread);
    const place = stored.get(thread) ?? (isLine ? null : [top + y, left + x]);
    places.push(place && [place[0] - top, place[1] - left]);
  }
  const placed = places.filter(Boolean);
  const isOnce = new Set(placed.map(String)).size === placed.length;
  return isOnce ? { top, left, of: places, rows: 1 + Math.max(...placed.map(([row]) => row)), columns: 1 + Math.max(...placed.map(([, column]) => column)), placed: placed.length } : null;
}
