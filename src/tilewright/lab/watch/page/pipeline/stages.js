// The stages in shared memory: what each holds, and its two barriers.

const STATES = { empty: "○", arriving: "⇣", full: "●", read: "×" };
const ORDER = ["read", "arriving", "full", "empty"];

class Stages {
  constructor(node) {
    this.node = node;
  }

  open(replay) {
    const named = new Set(replay.stages.flatMap(({ full, empty }) => [full, empty]));
    this.cards = replay.stages.map((stage, number) => {
      const state = make("span", { class: "state" });
      const tiles = stage.slots.map(({ array }) => {
        const tile = { name: make("b"), bytes: make("span", { class: "note" }), level: make("i") };
        const hue = ["A", "B", "C"].includes(ARRAYS[array]?.name) ? ARRAYS[array].name : "A";
        tile.node = make("div", { class: `slot of-${hue}` }, tile.level, tile.name, tile.bytes);
        return tile;
      });
      const barriers = [stage.full, stage.empty].filter((at) => at !== null).map((at) => this.barrier(replay, at));
      const node = make("article", { class: "stage" }, make("h3", {}, texts.pipeline.stage(number), state), ...tiles.map((tile) => tile.node), ...barriers.map((barrier) => barrier.node));
      return { node, state, tiles, barriers };
    });
    const others = replay.barriers.map((_, at) => at).filter((at) => !named.has(at)).map((at) => this.barrier(replay, at));
    this.others = others;
    this.node.replaceChildren(...this.cards.map(({ node }) => node), ...others.map(({ node }) => node));
  }

  barrier(replay, at) {
    const [state, waiting] = [make("span"), make("span", { class: "waiting" })];
    return { at, state, waiting, node: make("div", { class: "barrier" }, make("b", {}, texts.pipeline.barrierName(replay.barriers[at])), state, waiting) };
  }

  show(replay) {
    const { pipeline: says } = texts;
    const waits = replay.active.filter((span) => span.kind === "wait" && span.end >= replay.at);
    this.cards.forEach((card, number) => {
      const slots = replay.state.stages[number];
      const state = ORDER.find((name) => slots.some((slot) => slot.state === name)) ?? "empty";
      card.node.className = `stage is-${state}`;
      setText(card.state, `${STATES[state]} ${says.states[state]}`);
      card.tiles.forEach((tile, place) => {
        const slot = slots[place];
        const name = ARRAYS[replay.stages[number].slots[place].array]?.name ?? says.anyBytes;
        setText(tile.name, slot.text && slot.state !== "empty" ? slot.text : name);
        tile.node.className = tile.node.className.replace(/ is-\w+/, "") + ` is-${slot.state}`;
        setText(tile.bytes, slot.state === "arriving" ? says.ofBytes(counted(slot.arrived), counted(slot.asked)) : slot.state === "empty" ? says.states.empty : says.bytes(counted(slot.asked)));
        tile.level.style.width = slot.state === "empty" ? "0" : `${(100 * slot.arrived) / Math.max(slot.asked, 1)}%`;
      });
    });
    for (const barrier of [...this.cards.flatMap((card) => card.barriers), ...this.others]) {
      setText(barrier.state, tellBarrier(replay.state.barriers[barrier.at]));
      const names = waits.filter((span) => span.barrier === barrier.at).map((span) => laneName(replay.lanes[span.lane].name));
      setText(barrier.waiting, names.length ? says.wait(names) : "");
    }
  }
}

function tellBarrier(state) {
  const { pipeline: says } = texts;
  if (!state) return says.uninitialised;
  const [phase, pending, expected, bytes] = state;
  const coming = bytes > 0 ? says.toCome(counted(bytes)) : bytes ? says.early(counted(-bytes)) : "";
  return says.barrier(phase, counted(expected - pending), counted(expected)) + coming;
}
