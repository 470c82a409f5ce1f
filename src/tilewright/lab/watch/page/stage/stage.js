// The stage: one screen that tells the story. It shows what the player plays, beat by beat.

const FLIGHT_MS = 700;
const LETTERS_A_SECOND = 30;

class Stage {
  // pick: called with the thread that is clicked; go: with the step to play on from.
  constructor(story, roles, pick, go) {
    Object.assign(this, { story, roles, beats: [], stops: [], here: 0, isFine: false });
    byId("stage").hidden = false;
    // The panel that it leaves has nothing more to show.
    const panel = byId("source").closest(".panel");
    byId("stage-source").append(byId("source").parentElement);
    byId("stage-source").title = panel.querySelector(".note").textContent;
    panel.remove();
    byId("stage").classList.toggle("upright", Boolean(story.isUpright));
    document.body.classList.add("staged");
    this.scene = new story.Scene(byId("scene"), roles);
    this.score = new story.Score(byId("score-lines"));
    this.timeline = new Timeline(byId("beats"), story, (stop) => go(this.jump(stop)));
    this.wire(pick);
    new ResizeObserver(() => this.fit()).observe(byId("scene-box"));
  }

  wire(pick) {
    const svg = byId("scene");
    const under = (event) => {
      const box = svg.getBoundingClientRect();
      return this.scene.at(event.clientX - box.left, event.clientY - box.top);
    };
    svg.addEventListener("click", (event) => { const { thread } = under(event) ?? {}; if (thread !== undefined) pick(thread); });
    svg.addEventListener("pointermove", (event) => this.magnify(under(event), event));
    svg.addEventListener("pointerleave", () => this.magnify(null));
  }

  // What does not change from step to step, in another language.
  speak() {
    this.keyOf = undefined;
    if (TRACE !== WHOLE) byId("other-run").replaceChildren(" ", linkToRun(null, texts.back));
  }

  get texts() {
    return texts;
  }

  open(replay) {
    this.roles = this.story.rolesOf(BLOCKS[replay.number]) ?? this.roles;
    this.scene.roles = this.score.roles = this.roles;
    this.beats = this.story.beatsOf(BLOCKS[replay.number], this.roles);
    this.stops = this.story.stopsOf(this.beats, replay, this.roles);
    this.here = 0;
    this.spoiled = new Spoiled(BLOCKS[replay.number], this.story, this.story.sumsOf(replay.number));
    this.uses = new Map();
    this.planned = Array.from({ length: THREADS }, (_, thread) => ({ loads: 0, elements: [...elementsOfThreads(replay.number)[thread]] }));
    for (const step of replay.steps) {
      if (step.kind === "load" && isGlobal(step.array)) for (const thread of step.threads) this.planned[thread].loads += step.count;
    }
    for (const each of this.planned) each.other = each.elements.reduce((sum, element) => sum + (BESIDE?.curves[BESIDE.curve_of[element]]?.at(-1) ?? 0), 0);
    this.timeline.open(replay, this.beats);
    this.scene.fit();
  }

  // The number of the beat that a step belongs to; -1 before the first.
  beatAt(at) {
    return at === 0 ? -1 : this.beats.findIndex(({ end }) => end >= at);
  }

  // The number of the stop after so many steps: the one that was gone to, else the beat's; single steps have no pages.
  stopAt(at) {
    const beat = this.beatAt(at);
    const { page, at: mine } = this.stops[this.here];
    if (mine === at && !(page && this.isFine)) return this.here;
    return at === 0 && !this.isFine ? 0 : this.stops.findIndex((stop) => !stop.page && stop.beat === beat);
  }

  // The steps of the beat that is shown, so far; with every instruction, the latest alone.
  stepsShown(replay) {
    const beat = this.beats[this.beatAt(replay.at)];
    return beat ? replay.steps.slice(this.isFine ? replay.at - 1 : beat.first, replay.at) : [];
  }

  // Goes to the next stop, or the one before, and says after how many steps it is. A question is answered first.
  next(at, direction) {
    this.here = this.stopAt(at);
    const stop = this.stops[this.here];
    if (direction > 0 && stop.page?.isOpen) stop.page.isOpen = false;
    else if (direction < 0 || at >= stop.at) this.here = Math.max(0, Math.min(this.here + direction, this.stops.length - 1));
    return this.stops[this.here].at;
  }

  jump(number) {
    this.here = number;
    return this.stops[number].at;
  }

  isAtEnd(at) {
    return this.stopAt(at) === this.stops.length - 1 && at >= this.stops[this.stops.length - 1].at;
  }

  // What is said for the first time stays until it is read.
  secondsAt(at) {
    const { page, isNew, seconds = 1 } = this.stops[this.stopAt(at)] ?? {};
    return Math.max(seconds, page || isNew ? this.said.length / LETTERS_A_SECOND : 0);
  }

  positionAt(at) {
    return texts.page.position(this.beatAt(at) + 1, this.beats.length);
  }

  show(replay, picked, isFlying, speed) {
    this.last = [replay, picked];
    this.speed = speed;
    this.here = Math.max(0, this.stopAt(replay.at));
    const current = this.beatAt(replay.at);
    const beat = current < 0 ? null : this.beats[current];
    const { page } = this.stops[this.here];
    byId("stage").dataset.shows = page?.kind ?? beat?.kind ?? "begin";
    const told = this.story.toldOf(replay, beat, picked, this.roles);
    if (beat && !this.uses.has(beat.phase)) this.uses.set(beat.phase, this.story.usesOf(BLOCKS[replay.number], beat.phase));
    told.spoiled = this.spoiled.cells(replay.at, beat?.first ?? 0, this.roles.c);
    // At its end a barrier has let all go: the beat is about the waiting.
    told.isWaiting = beat?.kind === "wait" && !this.isFine;
    told.isSpoiled = (thread) => this.spoiled.hasThread(thread, replay.at);
    this.scene.name(this.texts, capital(blockName(replay.block)));
    this.scene.widen(["reads", "blocks", "host"].includes(page?.kind));
    this.say(this.sentences(replay, page, beat, told, picked));
    this.timeline.show(this.beats, current, this.texts, this.stops, this.here);
    // A number that will be asked for is not told before.
    const asked = this.stops.findIndex((stop) => stop.page?.isOpen && ["loads", "tree"].includes(stop.page.kind));
    this.score.show(replay, picked, this.texts, this.planned[picked], asked >= this.here);
    this.showKey(page);
    if (byId("stage-source").hidden !== this.scene.isWide) {
      byId("stage-source").hidden = this.scene.isWide;
      source.measureAgain();
    }
    const cover = (page && this.story.covers?.(page)) ?? null;
    for (const each of ["tiles", "more"]) byId(each).hidden = cover !== each;
    byId("stage").classList.toggle("covered", cover !== null);
    if (!page || !this.story.draw?.(page, this, replay, picked)) this.scene.show(replay, beat, told, picked);
    this.scene.land();
    if (!isFlying || CALM.matches || speed > FASTEST) return;
    const flights = page ? (this.story.flights?.(page, this.scene) ?? []) : told.flights;
    this.scene.fly(flights, page ? 2 * FLIGHT_MS : Math.min(FLIGHT_MS, 700 / speed));
  }

  // How the picture is read, or what a page shows in its place.
  showKey(page) {
    byId("key").hidden = !this.scene.isWide;
    const key = page?.which ?? "";
    if (byId("key").hidden || this.keyOf === key) return;
    this.keyOf = key;
    const [title, ...lines] = this.texts.key;
    const usual = () => [make("h2", {}, title), make("ul", {}, ...lines.map((line, i) => make("li", {}, make("span", { class: `swatch s${i}`, "aria-hidden": "true" }), line)))];
    byId("key").replaceChildren(...(this.story.key?.(page, this.texts, this.roles) ?? usual()));
    const now = byId("key").querySelector(".now");
    if (now) byId("key").scrollTop = Math.max(0, now.offsetTop - 3 * LABEL);
  }

  // What is said: a sentence, which may have coloured parts, and what stands below it, which may have buttons.
  sentences(replay, page, beat, told, picked) {
    const { texts } = this;
    const block = blockName(replay.block);
    byId("told").classList.remove("wrong");
    const answer = (isRight) => { Object.assign(page, { isOpen: false, isRight }); this.again(); };
    if (page) return this.story.tellPage(page, this, replay, picked, answer);
    if (!beat) return TRACE === WHOLE ? this.story.begin(texts, block, this.roles) : texts.wrongBegin(TRACE.kernel.name, capital(block), WARPS);
    if (TRACE !== WHOLE && replay.at === replay.steps.length) {
      byId("told").classList.add("wrong");
      return this.story.says(texts).wrongEnd(P.wrong_elements, (P.m * P.n) / PAIR ** 2);
    }
    const trouble = this.spoiled.tell(beat, replay.at, this.story.says(texts));
    byId("told").classList.toggle("wrong", trouble !== null);
    return trouble ?? this.story.tell(replay, beat, told, this.uses.get(beat.phase), texts, this.roles);
  }

  // What did not change is left alone: a button that is focused stays so.
  say([sentence, because]) {
    const parts = [sentence].flat();
    const key = parts.map((part) => part.textContent ?? part).join("") + [because].flat().map((part) => part.textContent ?? part).join("|");
    if (this.said === key) return;
    this.said = key;
    byId("sentence").replaceChildren(...parts);
    byId("because").replaceChildren(...[because].flat());
  }

  again(isFlying = false) {
    if (this.last) this.show(...this.last, isFlying, this.speed);
  }

  // A longer sentence takes room of the picture: what was about to fly does so in the new one.
  fit() {
    this.scene.fit();
    this.again(this.scene.isFlying);
  }

  // What is under the pointer, with its neighbours, where the squares are too small for their numbers.
  magnify(found, event) {
    const lens = byId("lens");
    lens.hidden = !found || found.squares.text > 0 || found.squares.name === null;
    if (lens.hidden) return;
    const { squares, row, column } = found;
    const [replay] = this.last;
    const lines = [];
    for (let y = row - 2; y <= row + 2; y++) {
      const cells = [];
      for (let x = column - 2; x <= column + 2; x++) {
        const isInside = x >= 0 && y >= 0 && x < squares.columns && y < squares.rows;
        cells.push(make("td", { class: x === column && y === row ? "at" : null }, isInside ? short(replay.cells[squares.name][y * squares.columns + x]?.value) : ""));
      }
      lines.push(make("tr", {}, ...cells));
    }
    lens.replaceChildren(make("table", {}, make("caption", {}, elementName(squares.name, row * squares.columns + column)), ...lines));
    const box = byId("scene-box").getBoundingClientRect();
    lens.style.left = `${Math.min(event.clientX - box.left + 16, box.width - 180)}px`;
    lens.style.top = `${Math.min(event.clientY - box.top + 16, box.height - 150)}px`;
  }
}
