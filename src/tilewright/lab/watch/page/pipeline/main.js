// Puts the page of a pipeline together and keeps its parts in step.

const state = { replay: null };
const matrices = new Matrices(byId("drawn"));
const stages = new Stages(byId("stages"));
const lanes = new Lanes(byId("lanes"), (at) => { player.pause(); player.goTo(at); });
const source = new Source(byId("source"));
const findings = new Findings(byId("found"), () => {}, () => texts.pipeline.none);
const player = new Player(show);

function show() {
  const { replay } = state;
  for (const part of [matrices, stages, lanes, source, findings]) part.show(replay);
  byId("story").lang = replay.step ? "en" : "";
  setText(byId("story"), replay.step?.text ?? texts.pipeline.begin(blockName(replay.block)));
}

function openBlock(number) {
  state.replay = new PipelineReplay(number);
  markBlock(number);
  const lane = byId("warp");
  lane.replaceChildren(make("option", { value: "", "data-say": "all" }, texts.page.all), ...state.replay.lanes.map(({ name }, at) => make("option", { value: String(at) }, laneName(name))));
  player.warp = null;
  byId("from-others").hidden = !state.replay.spans.some(({ isFromOthers }) => isFromOthers);
  stages.open(state.replay);
  lanes.open(state.replay);
  player.open(state.replay);
}

function describeLaunch() {
  const { block, cluster, shared_bytes: shared } = TRACE.launch;
  const products = TRACE.counts.matrix_instructions;
  const { pipeline: says, launch, names } = texts;
  fillFacts(byId("launch"), [
    [launch.grid, says.gridIs(names.blocks(GRID[0] * GRID[1] * GRID[2]), extent(GRID))],
    [says.cluster, extent(cluster) === "1" ? says.alone : says.clusterIs(extent(cluster))],
    [launch.block, says.blockIs(names.threads(block[0] * block[1] * block[2]), extent(block), counted(shared))],
    [says.tensor, products ? says.tensorIs(counted(products), counted(TRACE.counts.matrix_flops)) : says.unused],
    [launch.order, launch.orderIs(TRACE.launch.schedule)],
    [launch.result, resultText()],
  ]);
}

// Says everything anew, in another language.
function speakOf(language) {
  const { number, at } = state.replay ?? { number: 0, at: 0 };
  speak(language);
  findings.say();
  sayLaunch();
  describeLaunch();
  openBlock(number);
  player.goTo(at);
}

byId("thread-choice").hidden = true;
byId("warp").addEventListener("change", (event) => { player.warp = event.target.value === "" ? null : Number(event.target.value); });
placeLaunch();
placeLanguages(speakOf);
player.wire();
addEventListener("resize", () => { matrices.fit(); lanes.fit(); show(); });
speakOf(new URLSearchParams(location.hash.slice(1)).get("lang"));
addEventListener("hashchange", () => speakOf(new URLSearchParams(location.hash.slice(1)).get("lang")));
document.documentElement.dataset.ready = "yes";
