// The stages in shared memory: what each holds, and its two barriers.

const STATES = {
  empty: ["○", "empty"],
  arriving: ["⇣", "arriving"],
  full: ["●", "full"],
  read: ["×", "being multiplied"],
};
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
      const node = make("article", { class: "stage" }, make("h3", {}, `Stage ${number} `, state), ...tiles.map((tile) => tile.node), ...barriers.map((barrier) => barrier.node));
      return { node, state, tiles, barriers };
    });
    const others = replay.barriers.map((_, at) => at).filter((at) => !named.has(at)).map((at) => this.barrier(replay, at));
    this.others = others;
    this.node.replaceChildren(...this.cards.map(({ node }) => node), ...others.map(({ node }) => node));
  }

  barrier(replay, at) {
    const [state, waiting] = [make("span"), make("span", { class: "waiting" })];
    return { at, state, waiting, node: make("div", { class: "barrier" }, make("b", {}, replay.barriers[at]), state, waiting) };
  }

  show(replay) {
    const waits = replay.active.filter((span) => span.kind === "wait" && span.end >= replay.at);
    this.cards.forEach((card, number) => {
      const slots = replay.state.stages[number];
      const state = ORDER.find((name) => slots.some((slot) => slot.state === name)) ?? "empty";
      card.node.className = `stage is-${state}`;
      setText(card.state, STATES[state].join(" "));
      card.tiles.forEach((tile, place) => {
        const slot = slots[place];
        const name = ARRAYS[replay.stages[number].slots[place].array]?.name ?? "bytes";
        setText(tile.name, slot.text && slot.state !== "empty" ? slot.text : name);
        tile.node.className = tile.node.className.replace(/ is-\w+/, "") + ` is-${slot.state}`;
        setText(tile.bytes, slot.state === "arriving" ? `${counted(slot.arrived)} of ${counted(slot.asked)} bytes` : slot.state === "empty" ? "empty" : `${counted(slot.asked)} bytes`);
        tile.level.style.width = slot.state === "empty" ? "0" : `${(100 * slot.arrived) / Math.max(slot.asked, 1)}%`;
      });
    });
    for (const barrier of [...this.cards.flatMap((card) => card.barriers), ...this.others]) {
      setText(barrier.state, tellBarrier(replay.state.barriers[barrier.at]));
      const names = waits.filter((span) => span.barrier === barrier.at).map((span) => replay.lanes[span.lane].name);
      setText(barrier.waiting, names.length ? `❚❚ ${names.join(" and ")} ${names.length > 1 ? "wait" : "waits"}` : "");
    }
  }
}

function tellBarrier(state) {
  if (!state) return "not initialised yet";
  const [phase, pending, expected, bytes] = state;
  const coming = bytes > 0 ? `, ${counted(bytes)} bytes to come` : bytes ? `, ${counted(-bytes)} bytes came before they were announced` : "";
  return `phase ${phase}, parity ${phase % 2}: ${counted(expected - pending)} of ${counted(expected)} arrivals${coming}`;
}
