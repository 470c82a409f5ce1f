// The embedded record, unpacked: what stages and barriers are after each step.

const TRACE = JSON.parse(document.getElementById("trace").textContent);
const ARRAYS = TRACE.arrays;
const P = TRACE.problem;
const GRID = TRACE.launch.grid;
const MARKS = TRACE.blocks.map(() => new Map());

function unpackBlock(block) {
  const stages = block.stages.map(({ slots }) => slots.map(() => ({ state: "empty", text: "", region: null, arrived: 0, asked: 0 })));
  const barriers = block.barriers.map(() => null);
  const states = [{ stages, barriers }];
  let phase = 0;
  const steps = block.steps.map((packed) => {
    const last = states[states.length - 1];
    const next = { stages: last.stages.map((slots) => [...slots]), barriers: [...last.barriers] };
    for (const [stage, slot, state, text, region, arrived, asked] of packed.s ?? []) next.stages[stage][slot] = { state, text, region, arrived, asked };
    for (const [number, ...state] of packed.b ?? []) next.barriers[number] = state;
    states.push(next);
    phase += packed.e ?? 0;
    return { kind: packed.k, warp: packed.w, line: packed.l, text: packed.t, phase, filled: packed.e ? packed.b[packed.b.length - 1][0] : null };
  });
  const spans = block.spans.map(({ w, r, k, n, b, e, a, o, x, f }) => ({ lane: w, row: r, kind: k, text: n, begin: b, end: e ?? steps.length, array: a ?? null, barrier: o ?? null, regions: x ?? [], isFromOthers: Boolean(f) }));
  return { ...block, steps, spans, states };
}

const BLOCKS = TRACE.blocks.map(unpackBlock);

class PipelineReplay {
  constructor(number) {
    this.number = number;
    Object.assign(this, BLOCKS[number]);
    this.at = 0;
  }

  goTo(at) {
    this.at = Math.max(0, Math.min(at, this.steps.length));
  }

  get step() {
    return this.at > 0 ? this.steps[this.at - 1] : null;
  }

  get state() {
    return this.states[this.at];
  }

  get phase() {
    return this.step?.phase ?? 0;
  }

  get phases() {
    return (this.steps[this.steps.length - 1]?.phase ?? 0) + 1;
  }

  get position() {
    return texts.pipeline.position(this.at, this.steps.length, this.phase);
  }

  tickName(step) {
    return step.filled === null ? "" : texts.pipeline.barrierName(this.barriers[step.filled]);
  }

  // What goes on after the step: begun and not ended, or just now.
  get active() {
    return this.spans.filter(({ begin, end }) => begin < this.at && (end >= this.at || (begin === end && end === this.at - 1)));
  }

  occupied() {
    const lines = new Map();
    this.lanes.forEach(({ name }, lane) => {
      let at = this.at - 1;
      while (at >= 0 && this.steps[at].warp !== lane) at -= 1;
      const line = at < 0 ? null : this.steps[at].line;
      if (line !== null && name !== "copy engine") lines.set(line, [...(lines.get(line) ?? []), laneName(name)]);
    });
    return new Map([...lines].map(([line, names]) => [line, names.join(", ")]));
  }
}
