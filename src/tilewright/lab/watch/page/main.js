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
  markBlock(number);
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

function placePickers() {
  const picker = byId("picker");
  for (let number = 0; number < THREADS; number++) picker.append(make("option", { value: String(number) }, indexName(threadIndex(number), BLOCK_SIZE)));
  picker.addEventListener("change", () => { state.picked = Number(picker.value); show(); });
  const warps = byId("warp");
  for (let warp = 0; warp < WARPS; warp++) warps.append(make("option", { value: String(warp) }, String(warp)));
  warps.addEventListener("change", () => {
    player.warp = warps.value === "" ? null : Number(warps.value);
    if (player.warp !== null && Math.floor(state.picked / 32) !== player.warp) state.picked = 32 * player.warp;
    show();
  });
}

function describeLaunch() {
  if (!P.operation) setText(byId("filled"), "a constant: nothing was loaded for it");
  setText(byId("held"), HAS_SUMS ? "running sums, in registers" : "the number that each moved last");
  fillFacts(byId("launch"), [
    ["grid", `${plural(GRID[0] * GRID[1] * GRID[2], "block")} (${extent(GRID)}): all of them see global memory`],
    ["block", `${plural(THREADS, "thread")} (${extent(BLOCK_SIZE)}): they share shared memory and wait for each other`],
    ["thread", `has registers of its own${HAS_SUMS ? ", among them its running sum" : ""}`],
    ["warp", `up to 32 threads that execute a line together; a block has ${WARPS}`],
    ["order of warps", TRACE.launch.schedule],
    ["result", resultText()],
  ]);
}

placeGrids();
placeLaunch();
placeBlocks();
placePickers();
describeLaunch();
player.wire();
addEventListener("resize", () => fitEverything(grids, threads));
openBlock(0);
document.documentElement.dataset.ready = "yes";
