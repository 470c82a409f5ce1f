// Cells as large as their panel allows: from a phone to a wall.

const LARGEST_CELL = 34;
// Room for two digits of 11 pixels; a grid that has no room scrolls.
const SMALLEST_CELL = 18;
const LEGIBLE_CELL = 19;
const GAP = 2;
const HEADS = 40;
const NARROW = matchMedia("(max-width: 640px)");

// The side of cells of tables with so many columns, one beside the other, or each over the whole width.
function sideFor(width, columns, isStacked, smallest = SMALLEST_CELL) {
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
  const across = isStacked ? Math.max(...columns) : columns.reduce((sum, count) => sum + count, 0);
  const heads = HEADS * scale * (isStacked ? 1 : columns.length);
  return Math.max(smallest, Math.min(Math.floor((width - heads) / across - GAP), LARGEST_CELL * scale));
}

// All widths are read before anything is changed: the browser then lays the page out once.
function fitEverything(grids, threads) {
  const widths = Object.fromEntries(["matrices", "shared", "threads"].map((id) => [id, byId(id).clientWidth]));
  const isMatrix = (grid) => grid.area !== null;
  const columnsOf = (name) => grids.find((grid) => isMatrix(grid) && grid.array.name === name)?.columns ?? 0;
  const fit = (some, width, columns, isStacked) => {
    if (some.length) for (const grid of some) grid.setSide(sideFor(width, columns, isStacked));
  };
  const beside = [columnsOf("A"), Math.max(columnsOf("B"), columnsOf("C"))];
  // On a phone A, B and C lie as they are multiplied only where that leaves room to read them.
  const isStacked = NARROW.matches && sideFor(widths.matrices, beside, false, 0) < LEGIBLE_CELL;
  byId("matrices").classList.toggle("stacked", isStacked);
  fit(grids.filter(isMatrix), widths.matrices, beside, isStacked);
  const lines = grids.filter((grid) => !isMatrix(grid) && grid.array.space !== "shared");
  fit(lines, widths.matrices, lines.map((grid) => grid.columns), true);
  const shared = grids.filter((grid) => grid.array.space === "shared");
  const columns = shared.map((grid) => grid.columns);
  fit(shared, widths.shared, columns, columns.reduce((sum, count) => sum + count, 0) > 24);
  threads.table.style.setProperty("--side", `${sideFor(widths.threads, [threads.columns], true, 28)}px`);
}
