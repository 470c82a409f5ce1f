// Puts the page together and keeps its parts in step.

const state = { replay: null, picked: 0, warp: null };
const grids = ARRAYS.map((_, number) => new Grid(number));
const threads = new ThreadGrid((number) => { state.picked = number; show(); });
const source = new Source(byId("source"));
const counters = new Counters(byId("counted"));
const findings = new Findings(byId("found"), (block, at, thread) => {
  if (block !== state.replay.number) openBlock(block);
  state.picked = thread;
  player.pause();
  tabs?.show("memory");
  player.goTo(at);
  details.showNow();
  const place = document.querySelector("td.bad, td.collides, .beyond:not([hidden]), #threads .bad");
  place?.scrollIntoView({ block: "center", inline: "nearest", behavior: CALM.matches ? "auto" : "smooth" });
});
const lanes = new Lanes(byId("lanes"));
const tables = new Tables(byId("tables-box"));
const player = new Player(show);
const details = new Details(byId("details"), showDetails);
const [story, roles] = STORIES.map((each) => [each, each.rolesOf(BLOCKS[0])]).find(([, found]) => found) ?? [];
const stage = story && new Stage(story, roles, (number) => { state.picked = number; show(); }, (at) => { player.pause(); player.goTo(at); });
const tabs = stage && new Tabs(byId("details"), () => { if (state.replay) fitEverything(grids, threads); });

function show(isFlying = false, speed = 2) {
  const { replay, picked } = state;
  stage?.show(replay, picked, isFlying, speed);
  setText(byId("story"), tellStep(replay, picked));
  source.show(replay);
  if (details.isInSight) showDetails();
  else details.showLater();
  if (isFlying && !stage) fly(replay, grids, threads, speed);
}

function showDetails() {
  const { replay, picked } = state;
  for (const grid of grids) grid.show(replay, picked);
  threads.show(replay, picked, player.warp);
  counters.show(replay, picked);
  findings.show(replay);
  tables.show(replay, picked);
  lanes.show(stage?.stepsShown(replay) ?? (replay.step ? [replay.step] : []), picked);
  setText(byId("barrier"), tellBarrier(replay));
  setText(byId("phase"), HAS_TILES ? texts.grids.phase(replay.phase, replay.phases) : "");
  setText(byId("picked"), texts.threads.picked(threadName(picked), blockName(replay.block)));
  fillFacts(byId("thread-facts"), describeThread(replay, picked));
  byId("picker").value = String(picked);
}

function openBlock(number) {
  state.replay = new Replay(number);
  markBlock(number);
  stage?.open(state.replay);
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
  const { launch: says, names } = texts;
  setText(byId("filled"), P.operation ? texts.grids.zeros : texts.grids.constants);
  setText(byId("held"), HAS_SUMS ? texts.threads.allHeld : texts.threads.allMoved);
  fillFacts(byId("launch"), [
    [says.grid, says.gridIs(names.blocks(GRID[0] * GRID[1] * GRID[2]), extent(GRID))],
    [says.block, says.blockIs(names.threads(THREADS), extent(BLOCK_SIZE))],
    [says.thread, says.threadIs(HAS_SUMS)],
    [says.warp, says.warpIs(WARPS)],
    [says.order, says.orderIs(TRACE.launch.schedule)],
    [says.result, resultText()],
  ]);
}

// Says everything anew, in another language.
function speakOf(language) {
  speak(language);
  for (const part of [...grids, threads, counters, findings, tables]) part.say();
  stage?.speak();
  sayLaunch();
  describeLaunch();
  if (!state.replay) return;
  markBlock(state.replay.number);
  player.say();
  details.showNow();
  fitStage();
}

// The stage plays beats, one a second; every instruction behind a switch.
function stagePlayer() {
  player.beats = stage;
  player.unit = "beat";
  player.speed = 1;
  details.watch();
  byId("speed").value = "1";
  byId("fine").addEventListener("change", (event) => {
    document.body.classList.toggle("every-instruction", event.target.checked);
    player.unit = event.target.checked ? "access" : "beat";
    stage.isFine = event.target.checked;
    player.goTo(state.replay.at);
    fitStage();
  });
  // Who is looked at is chosen where the details begin: the stage has one row of controls.
  byId("details").prepend(make("section", { class: "whose wide", "data-label": "whose" }, tabs.node, byId("actors")));
}

// The stage has the room of the first screen that the head and the controls leave.
function fitStage() {
  if (!stage) return;
  const above = document.querySelector("header").offsetHeight + document.querySelector(".controls").offsetHeight;
  document.documentElement.style.setProperty("--above", `${above}px`);
}

// A link may name the block, the beat and the language: #block=0,0&beat=12&lang=de. embed leaves the stage alone, play
// begins at once, lanes leaves the lanes of the warp alone, without=2 plays the run without that barrier, step=2 goes to a single step, page=timing leads to what is told around the run.
function openFromLink() {
  const link = linkNow();
  const asked = (link.get("block") ?? "").split(",").map(Number);
  const number = BLOCKS.findIndex(({ block }) => block.every((index, i) => index === (asked[i] ?? 0)));
  document.body.classList.toggle("embedded", link.has("embed"));
  document.body.classList.toggle("lanes-alone", link.has("lanes"));
  // The details, which are the page's main part elsewhere, are not there.
  if (link.has("lanes")) tabs?.show("lanes");
  if (link.has("embed")) byId("stage").setAttribute("role", "main");
  if (link.has("lang")) speakOf(link.get("lang"));
  fitStage();
  openBlock(Math.max(number, 0));
  const beat = stage?.beats[Number(link.get("beat")) - 1];
  if (beat) player.goTo(beat.end);
  if (link.has("step")) player.goTo(Number(link.get("step")) || 0);
  const page = stage?.stops.findIndex((stop) => stop.page && stop.page.kind === link.get("page")) ?? -1;
  if (page >= 0) player.goTo(stage.jump(page));
  if (link.has("play")) playFromLink();
}

// A run that goes wrong is told from shortly before.
function playFromLink() {
  const trouble = stage ? stage.beatAt(stage.spoiled.first + 1) : -1;
  if (trouble > 3) player.goTo(stage.beats[trouble - 3].end);
  player.play();
}

placeGrids();
if (stage) stagePlayer();
placeLaunch();
placePickers();
placeLanguages(speakOf);
speakOf("en");
player.wire();
addEventListener("hashchange", () => { if (stage) openFromLink(); });
addEventListener("resize", () => { fitEverything(grids, threads); fitStage(); });
openFromLink();
document.documentElement.dataset.ready = "yes";
