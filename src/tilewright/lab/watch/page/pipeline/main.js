// Puts the page of a pipeline together and keeps its parts in step.

const state = { replay: null };
const matrices = new Matrices(byId("drawn"));
const stages = new Stages(byId("stages"));
const lanes = new Lanes(byId("lanes"), (at) => { player.pause(); player.goTo(at); });
const source = new Source(byId("source"));
const findings = new Findings(byId("findings"), () => {}, "No access outside of an array, and no read of what nobody wrote. Races are not looked for where mbarriers order the accesses.");
const player = new Player(show);

function show() {
  const { replay } = state;
  for (const part of [matrices, stages, lanes, source, findings]) part.show(replay);
  setText(byId("story"), replay.step?.text ?? `${blockName(replay.block)} has not begun. Every barrier will be in its phase 0.`);
}

function openBlock(number) {
  state.replay = new PipelineReplay(number);
  markBlock(number);
  const lane = byId("warp");
  lane.replaceChildren(make("option", { value: "" }, "all"), ...state.replay.lanes.map(({ name }, at) => make("option", { value: String(at) }, name)));
  player.warp = null;
  byId("from-others").hidden = !state.replay.spans.some(({ isFromOthers }) => isFromOthers);
  stages.open(state.replay);
  lanes.open(state.replay);
  player.open(state.replay);
}

function describeLaunch() {
  const { block, cluster, shared_bytes: shared } = TRACE.launch;
  const products = TRACE.counts.matrix_instructions;
  fillFacts(byId("launch"), [
    ["grid", `${plural(GRID[0] * GRID[1] * GRID[2], "block")} (${extent(GRID)})`],
    ["cluster", extent(cluster) === "1" ? "none" : `${extent(cluster)} blocks, which reach each other's shared memory`],
    ["block", `${plural(block[0] * block[1] * block[2], "thread")} (${extent(block)}), ${counted(shared)} bytes of shared memory`],
    ["tensor cores", products ? `${counted(products)} instructions of warps, ${counted(TRACE.counts.matrix_flops)} operations` : "not used"],
    ["order of warps", TRACE.launch.schedule],
    ["result", resultText()],
  ]);
}

byId("thread-choice").hidden = true;
byId("warp").addEventListener("change", (event) => { player.warp = event.target.value === "" ? null : Number(event.target.value); });
placeLaunch();
placeBlocks();
describeLaunch();
player.wire();
addEventListener("resize", () => { matrices.fit(); lanes.fit(); show(); });
openBlock(0);
document.documentElement.dataset.ready = "yes";
