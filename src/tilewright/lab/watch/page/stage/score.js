// What tiling saves, from the start: the loads that a thread will make as dots that fill, beside those without tiles.

const MOST_DOTS = 24;

class Score {
  constructor(node, kinds = BESIDE ? ["own", "other"] : ["own"]) {
    this.lines = kinds.map((kind) => {
      const line = { kind, title: make("span"), dots: make("span", { class: "dots", "aria-hidden": "true" }), count: make("span", { class: "count" }) };
      node.append(make("div", { class: `line ${kind}` }, line.title, line.dots, line.count));
      return line;
    });
  }

  // isAsked: the number is being guessed.
  show(replay, thread, texts, planned, isAsked) {
    const { other } = planned;
    const counts = { own: [replay.threads[thread].globalLoads, planned.loads], other: BESIDE ? [besideLoads(replay.threads[thread], planned.elements), other] : [0, 0] };
    const titles = HAS_TILES ? { own: texts.tiled, other: texts.plain } : { own: texts.plain, other: texts.tiled };
    setText(byId("score-title"), texts.score(threadName(thread)));
    for (const { kind, title, dots, count } of this.lines) {
      const [done, all] = counts[kind];
      setText(title, titles[kind]);
      const isSecret = isAsked && kind === "own";
      setText(count, isSecret ? "?" : texts.of(counted(done), counted(all)));
      dots.style.visibility = isSecret ? "hidden" : "";
      this.fill(dots, done, all, Math.max(counts.own[1], counts.other[1]));
    }
    const [tiled, plain] = HAS_TILES ? [planned.loads, other] : [other, planned.loads];
    setText(byId("ratio"), isAsked ? "" : BESIDE && other ? texts.ratio(tiled, plain) + (HAS_TILES && P.tile ? texts.tile16(P.tile) : "") : "");
  }

  // Dots while they can be counted at a glance, else a bar.
  fill(node, done, all, most) {
    if (most > MOST_DOTS) {
      node.className = "dots bar";
      if (!node.firstChild) node.append(make("i"));
      node.style.width = `${(100 * all) / most}%`;
      node.firstChild.style.width = `${(100 * done) / Math.max(all, 1)}%`;
      return;
    }
    while (node.childElementCount < all) node.append(make("i"));
    while (node.childElementCount > all) node.lastChild.remove();
    [...node.children].forEach((dot, i) => dot.classList.toggle("full", i < done));
  }
}
