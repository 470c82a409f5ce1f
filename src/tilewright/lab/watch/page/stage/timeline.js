// The beats by name: those of the phase that plays, and as one button each the other phases, what is told before the
// run, and what is told after it.

class Timeline {
  constructor(node, story, go) {
    Object.assign(this, { node, story, go });
  }

  open(replay, beats) {
    this.parts = [];
    beats.forEach((beat, index) => {
      const last = this.parts[this.parts.length - 1];
      const name = beat.part ?? (beat.kind === "end" && last?.name === "store" ? "store" : beat.kind);
      // Warps take turns: their beats of one name are one part of the phase.
      const part = this.parts.find((each) => each.phase === beat.phase && each.name === name && (name !== "wait" || each.isLast === beat.isLast)) ?? null;
      if (part && (!["store", "end"].includes(name) || part === last)) part.beats.push(index);
      else this.parts.push({ name, phase: beat.phase, isLast: beat.isLast, beats: [index] });
    });
    this.phases = [...new Set(this.parts.map(({ phase }) => phase))];
    this.phase = null;
  }

  // here: the number of the stop that is shown.
  show(beats, current, texts, stops, here) {
    const phase = current < 0 ? this.phases[0] : beats[current].phase;
    this.stops = stops;
    if (phase !== this.phase || texts !== this.texts) this.build(phase, texts);
    const [isBefore, isAfter] = [current < 0 && Boolean(stops[here].page), current === beats.length - 1 && Boolean(stops[here].page)];
    for (const [button, isNow] of [[this.before, isBefore && stops[here].page.kind !== "loads"], [this.after, isAfter]]) button?.classList.toggle("now", isNow);
    if (isBefore || isAfter) current = isBefore ? -1 : beats.length;
    for (const { part, button, fill } of this.shown) {
      const done = part.beats.filter((beat) => beat <= current).length;
      const isNow = part.beats.includes(current);
      button.classList.toggle("now", isNow);
      if (isNow) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      fill.style.width = `${(100 * done) / part.beats.length}%`;
    }
  }

  build(phase, texts) {
    Object.assign(this, { phase, texts, shown: [] });
    const items = [];
    const few = this.nearPhases(phase);
    for (const each of few) {
      if (this.phases.length > 1) items.push(this.phaseItem(each, each === phase, texts));
      if (each !== phase) continue;
      for (const part of this.parts.filter((one) => one.phase === phase)) {
        const fill = make("i");
        const button = make("button", { type: "button", class: `beat ${part.name.replace(" ", "-")}` }, fill, make("span", {}, texts.beats[part.name] ?? part.name));
        button.addEventListener("click", () => this.goToBeat(part.beats[0]));
        this.shown.push({ part, button, fill });
        items.push(make("li", { style: `flex-grow: ${Math.min(4, Math.max(1, part.beats.length / 2))}` }, button));
      }
    }
    const [before, after] = this.story.ends(texts);
    this.before = this.pageItem(items, "unshift", 0, before);
    this.after = this.pageItem(items, "push", this.stops.findIndex(({ page, at }) => at > 0 && page?.kind === this.story.last), after);
    this.node.replaceChildren(...items);
  }

  // A button for what is told at a stop that is no beat; none where there is no such stop.
  pageItem(items, put, stop, name) {
    if (!this.stops[stop]?.page) return null;
    const button = make("button", { type: "button", class: "phase page" }, name);
    button.addEventListener("click", () => this.go(stop));
    items[put](make("li", { class: "of-page" }, button));
    return button;
  }

  goToBeat(beat) {
    this.go(this.stops.findIndex((stop) => !stop.page && stop.beat === beat));
  }

  // The phase that plays, those beside it, the first and the last.
  nearPhases(phase) {
    const at = this.phases.indexOf(phase);
    const [first, last] = [0, this.phases.length - 1];
    return [...new Set([first, at - 1, at, at + 1, last])].filter((i) => i >= 0 && i <= last).sort((a, b) => a - b).map((i) => this.phases[i]);
  }

  phaseItem(phase, isOpen, texts) {
    const button = make("button", { type: "button", class: "phase", "aria-expanded": String(isOpen) }, texts.phase(phase));
    button.addEventListener("click", () => this.goToBeat(this.parts.find((part) => part.phase === phase).beats[0]));
    return make("li", { class: "of-phase" }, button);
  }
}
