// What a missing barrier spoils, and when: a number of a tile that is overwritten before all have read it, or read
// before it is there. Known from the run itself. The story says when a number was made, and which one a step is due:
// that of its own phase, or of the step of the tree before.

class Spoiled {
  // elements: those of the result that a thread's numbers end in, by its number.
  constructor({ steps }, { made, due }, elements) {
    Object.assign(this, { steps, made, elements, threads: new Map(), acts: new Map() });
    if (P.wrong_elements > 0) steps.forEach((step) => { if (due(step) !== null) this.follow(step, due(step)); });
  }

  follow(step, due) {
    step.threads.forEach((thread, place) => {
      for (const [load, element] of step.sources.flat()) {
        const from = this.steps[load];
        const at = from.place.get(step.lanes[place]);
        if (at === undefined || !isShared(from.array)) continue;
        const writer = from.writers[at];
        const made = writer === undefined ? null : this.made(this.steps[writer]);
        if (made === due) continue;
        // Overwritten by a later one; or read too early: what is there is an earlier one, or nobody's.
        const isOverwritten = made !== null && made > due;
        this.note(isOverwritten ? writer : load, isOverwritten, from.array, from.elements[at] + element, thread);
      }
    });
  }

  note(index, isOverwritten, array, element, thread) {
    this.threads.set(thread, Math.min(this.threads.get(thread) ?? Infinity, index));
    if (!this.acts.has(index)) this.acts.set(index, { isOverwritten, array, elements: new Map() });
    const { elements } = this.acts.get(index);
    if (!elements.has(element)) elements.set(element, new Set());
    elements.get(element).add(thread);
  }

  get first() {
    return Math.min(...this.acts.keys());
  }

  // Whether a thread's sum is wrong after so many steps, or bound to be.
  hasThread(thread, at) {
    return (this.threads.get(thread) ?? Infinity) < at;
  }

  // The squares that are spoiled after so many steps: those of C, by element, and those that the latest steps spoil.
  cells(at, since, result) {
    const found = new Map([[result, new Set()]]);
    for (const [thread, from] of this.threads) if (from < at) for (const element of this.elements[thread]) found.get(result).add(element);
    for (let index = since; index < at; index++) {
      const act = this.acts.get(index);
      if (!act) continue;
      if (!found.has(act.array)) found.set(act.array, new Set());
      for (const element of act.elements.keys()) found.get(act.array).add(element);
    }
    return found;
  }

  // What a beat spoils, in a sentence and the one below; null if nothing.
  tell(beat, at, texts) {
    for (let index = beat.first; index < Math.min(beat.end, at); index++) {
      const act = this.acts.get(index);
      if (!act) continue;
      const [[element, victims]] = act.elements;
      const place = elementName(act.array, element);
      const step = this.steps[index];
      const name = threadName(step.threads[act.isOverwritten ? step.elements.indexOf(element) : 0]);
      const who = act.isOverwritten ? name : threadName([...victims][0]);
      const wrong = new Set([...this.threads].filter(([, from]) => from < at).flatMap(([thread]) => [...this.elements[thread]]));
      return [act.isOverwritten ? texts.overwrites(who, place, victims.size) : texts.tooEarly(who, place), texts.spoils(wrong.size)];
    }
    return null;
  }
}
