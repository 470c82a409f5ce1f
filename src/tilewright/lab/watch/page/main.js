// Puts the page together and keeps its parts in step.

const state = { replay: null, picked: 0, warp: null };
const grids = ARRAYS.map((_, number) => new Grid(number));
const threads = new ThreadGrid((number) => { state.picked = number; show(); });
const source = new Source(byId("source"));
const counters = new Counters(byId("counters"));
const findings = new Findings(byId("findings"), (block, at, thread) => {
  if (block !== state.replay.number) openBlock(block);
  state.picked = thread;
  player.pause();
  player.goTo(at);
  const place = document.querySelector("td.bad, td.collides, .beyond:not([hidden]), #threads .bad");
  place?.scrollIntoView({ block: "center", inline: "nearest", behavior: CALM.matches ? "auto" : "smooth" });
});
const tables = new Tables(byId("tables-box"));
const player = new Player(show);

function show(isFlying = false, speed = 2) {
  const { replay, picked } = state;
  for (const grid of grids) grid.show(replay, picked);
  threads.show(replay, picked, player.warp);
  source.show(replay);
  counters.show(replay, picked);
  findings.show(replay);
  tables.show(replay, picked);
  setText(byId("story"), tellStep(replay, picked));
  setText(byId("barrier"), tellBarrier(replay));
  setText(byId("phase"), HAS_TILES ? `phase ${replay.phase} of ${replay.phases}, from 0` : "");
  setText(byId("picked"), `${threadName(picked)} of ${blockName(replay.block)}`);
  fillFacts(byId("thread-facts"), describeThread(replay, picked));
  byId("picker").value = String(picked);
  if (isFlying) fly(replay, grids, threads, speed);
}

function openBlock(number) {
  state.replay = new Replay(number);
  for (const button of document.querySelectorAll("#blocks button")) {
    button.setAttribute("aria-pressed", String(button.dataset.number === String(number)));
  }
  byId("block").value = String(number);
  player.open(state.replay);
}

function placeGrids() {
  byId("shared-box").hidden = !HAS_TILES;
  fitEverything(grids, threads);
  // A variable of the file's that nobody touches is not shown.
  const touched = new Set(BLOCKS.flatMap(({ steps }) => steps.map((step) => step.array)));
  for (const grid of grids.filter(({ array, number }) => array.after || array.space === "shared" || touched.has(number))) byId(grid.array.space === "shared" ? "shared" : "matrices").append(grid.node);
  byId("threads").append(threads.node);
}

function placeBlocks() {
  const recorded = new Map(BLOCKS.map(({ block }, number) => [block.join(), number]));
  const [columns, rows] = [Math.min(GRID[0], 16), Math.min(GRID[1] * GRID[2], 16)];
  const table = make("table", { class: "blocks", "aria-label": "blocks of the grid" });
  for (let y = 0; y < rows; y++) {
    const line = make("tr");
    for (let x = 0; x < columns; x++) {
      const block = [x, y % GRID[1], Math.floor(y / GRID[1])];
      const number = recorded.get(block.join());
      const name = indexName(block, GRID);
      const isMissing = number === undefined;
      const button = make("button", { type: "button", class: isMissing ? "missing" : null, "aria-label": isMissing ? `${blockName(block)}, not recorded` : blockName(block) }, name);
      if (!isMissing) button.dataset.number = String(number);
      button.addEventListener("click", () => {
        setText(byId("unrecorded"), isMissing ? tellUnrecorded(block) : "");
        if (!isMissing) openBlock(number);
      });
      line.append(make("td", {}, button));
    }
    table.append(line);
  }
  byId("blocks").append(table);
  const missing = GRID[0] * GRID[1] * GRID[2] - BLOCKS.length;
  if (missing) setText(byId("unrecorded"), `${plural(missing, "block was", "blocks were")} not recorded; pick one to read how to record it.`);
}

// The page only plays what was recorded: another block takes another recording.
function tellUnrecorded(block) {
  const index = block.slice(0, GRID[2] > 1 ? 3 : GRID[1] > 1 ? 2 : 1);
  return `${blockName(block)} was not recorded. For it, add --show-block ${index.join(",")} to the command, or blocks=[(${index.join(", ")}${index.length === 1 ? "," : ""})] to watch().`;
}

function placePickers() {
  const picker = byId("picker");
  for (let number = 0; number < THREADS; number++) picker.append(make("option", { value: String(number) }, indexName(threadIndex(number), BLOCK_SIZE)));
  picker.addEventListener("change", () => { state.picked = Number(picker.value); show(); });
  const blocks = byId("block");
  byId("block-choice").hidden = BLOCKS.length < 2;
  BLOCKS.forEach(({ block }, number) => blocks.append(make("option", { value: String(number) }, indexName(block, GRID))));
  blocks.addEventListener("change", () => openBlock(Number(blocks.value)));
  const full = byId("full");
  full.hidden = window === top || !document.fullscreenEnabled;
  full.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
  const warps = byId("warp");
  for (let warp = 0; warp < WARPS; warp++) warps.append(make("option", { value: String(warp) }, String(warp)));
  warps.addEventListener("change", () => {
    player.warp = warps.value === "" ? null : Number(warps.value);
    if (player.warp !== null && Math.floor(state.picked / 32) !== player.warp) state.picked = 32 * player.warp;
    show();
  });
  byId("theme").value = document.documentElement.dataset.theme;
  byId("theme").addEventListener("change", (event) => { document.documentElement.dataset.theme = event.target.value; });
}

function describeLaunch() {
  setText(byId("problem"), problemText());
  if (!P.operation) setText(byId("filled"), "a constant: nothing was loaded for it");
  setText(byId("held"), HAS_SUMS ? "running sums, in registers" : "the number that each moved last");
  const extent = (size) => size.filter((side, i) => side > 1 || i === 0).join(" × ");
  fillFacts(byId("launch"), [
    ["grid", `${plural(GRID[0] * GRID[1] * GRID[2], "block")} (${extent(GRID)}): all of them see global memory`],
    ["block", `${plural(THREADS, "thread")} (${extent(BLOCK_SIZE)}): they share shared memory and wait for each other`],
    ["thread", `has registers of its own${HAS_SUMS ? ", among them its running sum" : ""}`],
    ["warp", `up to 32 threads that execute a line together; a block has ${WARPS}`],
    ["order of warps", TRACE.launch.schedule],
    ["result", resultText()],
  ]);
  byId("notes").append(...TRACE.notes.map((note) => make("p", { class: "note" }, note)));
}

function problemText() {
  if (!P.operation) return Object.entries(P.scalars ?? {}).map(([name, value]) => `${name} = ${value}`).join(", ");
  const sizes = P.operation === "dot" ? plural(P.k, "element") : `${P.m} × ${P.k} times ${P.k} × ${P.n}`;
  return `${P.operation}, ${sizes}${P.tile ? `, tile ${P.tile}` : ""}`;
}

function resultText() {
  if (TRACE.launch.fault) return "none: the launch was stopped";
  if (P.wrong_elements === null) return "not compared";
  const compared = P.operation ? "compared with NumPy" : "compared with what was expected";
  return P.wrong_elements === 0 ? `right, ${compared}` : `✕ ${plural(P.wrong_elements, "element is", "elements are")} wrong, ${compared}`;
}

placeGrids();
placeBlocks();
placePickers();
describeLaunch();
player.wire();
addEventListener("resize", () => fitEverything(grids, threads));
openBlock(0);
document.documentElement.dataset.ready = "yes";
