// Play, pause, step, scrub, speed and keys.

class Player {
  constructor(show) {
    this.showStep = show;
    this.timer = null;
    this.warp = null;
    this.speed = 4;
    // By what the arrows step and the play goes on; beats: who knows where they end.
    this.unit = "access";
    this.beats = null;
  }

  open(replay) {
    this.pause();
    this.replay = replay;
    const slider = byId("scrub");
    slider.max = String(replay.steps.length);
    this.tick();
    this.goTo(0);
  }

  // Names the phases below the slider.
  tick() {
    const { replay } = this;
    const ticks = byId("phases");
    ticks.replaceChildren();
    let [latest, named] = [-1, -Infinity];
    replay.steps.forEach((step, index) => {
      if (step.phase <= latest) return;
      latest = step.phase;
      const tick = make("span", { class: "tick" }, replay.tickName(step));
      tick.style.left = `${(100 * index) / replay.steps.length}%`;
      // A name needs room of its own.
      if (index - named < replay.steps.length / 25 || (replay.phases > 12 && step.phase % Math.ceil(replay.phases / 12))) return;
      named = index;
      ticks.append(tick);
    });
  }

  say() {
    this.label();
    this.tick();
    this.goTo(this.replay.at);
  }

  goTo(at, isFlying = false) {
    this.replay.goTo(at);
    const slider = byId("scrub");
    slider.value = String(this.replay.at);
    slider.setAttribute("aria-valuetext", this.replay.position);
    this.showStep(isFlying, this.isPlaying ? this.speed : 2);
    setText(byId("position"), this.unit === "beat" ? this.beats.positionAt(this.replay.at) : this.replay.position);
    if (this.isAtEnd) this.pause();
  }

  get isAtEnd() {
    return this.unit === "beat" ? this.beats.isAtEnd(this.replay.at) : this.replay.at >= this.replay.steps.length;
  }

  step(unit, direction) {
    const at = unit === "beat" ? this.beats.next(this.replay.at, direction) : nextAt(this.replay, unit, direction, this.warp);
    this.goTo(at, direction > 0 && unit === this.unit);
  }

  play() {
    if (this.isPlaying) return this.pause();
    if (this.isAtEnd) this.goTo(this.unit === "beat" ? this.beats.jump(0) : 0);
    const tick = () => {
      // Faster than the screen can follow, several steps go by at once.
      const leap = Math.max(1, Math.round(this.speed / 30));
      for (let i = 1; i < leap; i++) this.replay.goTo(this.unit === "beat" ? this.beats.next(this.replay.at, 1) : nextAt(this.replay, "access", 1, this.warp));
      this.timer = 0;
      this.step(this.unit, 1);
      // At the end the step has paused.
      if (this.timer !== null) wait();
    };
    // A page of the story is shown for longer than a beat.
    const wait = () => { this.timer = setTimeout(tick, Math.max((1000 * (this.unit === "beat" ? this.beats.secondsAt(this.replay.at) : 1)) / this.speed, 33)); };
    // What has been read is gone on from at once; the first page is to be read.
    if (this.replay.at === 0 && this.unit === "beat") wait();
    else tick();
    this.label();
    return undefined;
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.label();
  }

  label() {
    const button = byId("play");
    setText(button, this.isPlaying ? texts.page.pause : texts.page.play);
    button.setAttribute("aria-pressed", String(this.isPlaying));
    for (const id of ["story", "told"]) byId(id)?.setAttribute("aria-live", this.isPlaying ? "off" : "polite");
  }

  get isPlaying() {
    return this.timer !== null;
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.isPlaying) {
      this.pause();
      this.play();
    }
  }

  wire() {
    byId("play").addEventListener("click", () => this.play());
    for (const button of document.querySelectorAll("[data-step]")) {
      const [unit, direction] = button.dataset.step.split(" ");
      button.addEventListener("click", () => { this.pause(); this.step(unit, Number(direction)); });
    }
    byId("scrub").addEventListener("input", (event) => { this.pause(); this.goTo(Number(event.target.value)); });
    byId("speed").addEventListener("change", (event) => this.setSpeed(Number(event.target.value)));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not(#scrub, #fine), select, textarea")) return;
    const isButton = event.target.closest("button, summary, #fine");
    const across = event.shiftKey ? "phase" : this.unit;
    const units = { ArrowRight: [across, 1], ArrowLeft: [across, -1], ArrowDown: ["line", 1], ArrowUp: ["line", -1] };
    if (event.key === " " && !isButton) this.play();
    else if (event.key === "Home") this.goTo(this.unit === "beat" ? this.beats.jump(0) : 0);
    else if (event.key === "End") this.goTo(this.unit === "beat" ? this.beats.jump(this.beats.stops.length - 1) : this.replay.steps.length);
    else if (event.key in units && !event.target.closest(".scroll")) { this.pause(); this.step(...units[event.key]); }
    else return;
    event.preventDefault();
  }
}

// Where one gets with a step by access, by source line or by phase; only of one warp's steps where one is picked.
function nextAt({ steps, at }, unit, direction, warp) {
  const matters = (step) => warp === null || step.warp === warp || step.warp < 0;
  const same = (a, b) => (unit === "phase" ? a.phase === b.phase : a.line === b.line && a.warp === b.warp);
  if (unit === "access") {
    do at += direction; while (at > 0 && at < steps.length && !matters(steps[at - 1]));
    return at;
  }
  if (direction > 0) {
    const first = steps[at];
    while (at < steps.length && (!matters(steps[at]) || same(steps[at], first))) at += 1;
    return unit === "phase" && at < steps.length ? at + 1 : at;
  }
  at -= 1;
  const last = steps[Math.max(at - 1, 0)];
  while (at > 0 && (!matters(steps[at - 1]) || same(steps[at - 1], last))) at -= 1;
  return unit === "phase" && at > 0 ? at + 1 : at;
}
