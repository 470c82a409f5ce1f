// Lanes of time: what the producer, the copy engine and each consumer do, event by event.

const NARROWEST_PX = 9;
const MOST_PX = 22;
const ROW_PX = 21;
const GLYPHS = { ask: "▸", expect: "+", pass: "✓", arrive: "▴", init: "i", read: "r" };

// Lanes are named by the recording, in English; a number may follow.
const laneName = (name) => name.replace(/^[a-z ]*[a-z]/, (role) => texts.pipeline.lanes[role] ?? role);

class Lanes {
  constructor(node, seek) {
    this.node = node;
    this.track = make("div", { class: "track" });
    this.names = make("div", { class: "lane-names" });
    this.view = make("div", { class: "scroll lane-view", tabindex: "-1", "aria-hidden": "true" }, this.track);
    node.append(this.names, this.view);
    this.view.addEventListener("click", (event) => {
      const x = event.clientX - this.track.getBoundingClientRect().left;
      if (x >= 0) seek(Math.floor(x / this.side) + 1);
    });
  }

  open(replay) {
    this.replay = replay;
    this.now = replay.lanes.map(() => make("span", { class: "note", lang: "en" }));
    const rows = replay.lanes.map((_, lane) => 1 + replay.spans.reduce((most, span) => (span.lane === lane ? Math.max(most, span.row) : most), 0));
    this.names.replaceChildren(make("div", { class: "ruler" }), ...replay.lanes.map(({ name, warps }, lane) => {
      const who = warps.length ? ` ${texts.names.warpsOf(ranges(warps), warps.length)}` : "";
      const node = make("div", { class: "lane" }, make("b", {}, laneName(name)), make("span", { class: "note warps" }, who), this.now[lane]);
      node.style.height = `${Math.max(2, rows[lane]) * ROW_PX + 4}px`;
      return node;
    }));
    this.cursor = make("span", { class: "cursor" });
    this.numbers = make("div", { class: "ruler" });
    this.bars = [];
    const lanes = replay.lanes.map((_, lane) => {
      const node = make("div", { class: "lane" });
      node.style.height = `${Math.max(2, rows[lane]) * ROW_PX + 4}px`;
      for (const span of replay.spans.filter((each) => each.lane === lane)) {
        const isPoint = span.begin === span.end && span.kind in GLYPHS;
        const hue = ["A", "B", "C"].includes(ARRAYS[span.array]?.name) ? ` of-${ARRAYS[span.array].name}` : "";
        const bar = make("span", { class: `bar is-${isPoint ? "point" : span.kind}${hue}${span.isFromOthers ? " from-others" : ""}`, title: span.text, lang: "en" }, isPoint ? GLYPHS[span.kind] : span.text);
        bar.style.top = `${span.row * ROW_PX + 2}px`;
        this.bars.push({ bar, span });
        node.append(bar);
      }
      return node;
    });
    this.track.replaceChildren(this.numbers, ...lanes, this.cursor);
    this.fit();
  }

  fit() {
    if (!this.replay) return;
    const count = Math.max(1, this.replay.steps.length);
    this.side = Math.max(NARROWEST_PX, Math.min(MOST_PX, Math.floor(this.view.clientWidth / count)));
    this.track.style.width = `${this.side * count}px`;
    this.cursor.style.width = `${this.side}px`;
    for (const { bar, span } of this.bars) {
      bar.style.left = `${this.side * span.begin}px`;
      bar.style.width = `${Math.max(this.side, this.side * (Math.min(span.end, count - 1) - span.begin + (span.begin === span.end ? 1 : 0)))}px`;
    }
    this.numbers.replaceChildren();
    for (let number = 10; number <= count; number += 10) {
      const mark = make("span", {}, String(number));
      mark.style.left = `${this.side * (number - 1)}px`;
      this.numbers.append(mark);
    }
    this.width = this.view.clientWidth;
  }

  show(replay) {
    const { at } = replay;
    for (const { bar, span } of this.bars) {
      bar.classList.toggle("later", span.begin >= at);
      bar.classList.toggle("now", span.begin < at && span.end >= at && span.end > span.begin);
    }
    this.cursor.style.left = `${this.side * (at - 1)}px`;
    this.cursor.hidden = at === 0;
    const active = replay.active;
    this.now.forEach((node, lane) => {
      const said = active.filter((span) => span.lane === lane && span.end > span.begin).map((span) => span.text);
      setText(node, said.length > 2 ? `${said[0]} (+ ${said.length - 1})` : said.join("; ") || "–");
    });
    const left = this.side * (at - 1);
    if (left < this.view.scrollLeft + 40 || left > this.view.scrollLeft + this.width - 80) this.view.scrollLeft = left - this.width / 3;
  }
}
