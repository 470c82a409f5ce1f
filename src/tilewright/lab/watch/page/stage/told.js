// A beat as the stage tells it: of one thread, with what it reads and writes, who else uses it, and what flies where.

const MOST_FLIGHTS_OF_A_BEAT = 256;

function toldOf(replay, beat, picked, roles) {
  const steps = beat ? replay.steps.slice(beat.first, Math.min(beat.end, Math.max(replay.at, beat.first + 1))) : [];
  const threads = [...new Set(steps.flatMap((step) => step.threads))];
  const thread = threads.includes(picked) || !threads.length ? picked : threads[0];
  const told = { thread, threads, steps, operands: [null, null], flights: flightsOf(steps, roles) };
  for (const step of steps) {
    const place = step.threads.indexOf(thread);
    if (place < 0) continue;
    if (step.kind === "add") {
      told.operands = productOf({ factors: step.factors[place] }, roles);
      told.isMultipliedOut = PAIR > 1 && step.isMixed;
      told.also = told.operands.map((operand) => nearest(thread, step, operand, roles));
      told.sum = step.values[place]?.[0];
      told.step = step;
    } else if (step.kind === "load") Object.assign(told, { loaded: step, loadedAt: place });
    else if (step.kind === "store") Object.assign(told, { stored: step, storedAt: place });
  }
  return told;
}

// The factors of a multiply-add, that of A first, whichever the compiler multiplied first. Pairs that are added just
// before are one factor, with both as its parts.
function productOf(term, { a, b, tiles }) {
  const loads = term?.factors.flat() ?? [];
  if (PAIR > 1 && !tiles && term) {
    return [a, b].map((array) => {
      const parts = loads.filter((load) => load.array === array).sort((one, two) => one.element - two.element);
      return parts.length ? { ...parts[0], value: parts.reduce((sum, { value }) => sum + value, 0), parts } : null;
    });
  }
  const factors = term?.factors.map((factor) => factor[factor.length - 1] ?? null) ?? [null, null];
  const isOfB = (factor) => factor?.array === tiles?.[1] || (factor && rootsOf([factor])[0]?.array === b);
  return a !== b && isOfB(factors[0]) && !isOfB(factors[1]) ? [factors[1], factors[0]] : factors;
}

// A factor as it is written: a number, or the sum of a pair.
const factorText = ({ value, parts }) => (parts ? `(${parts.map((part) => short(part.value)).join(" + ")})` : short(value));

// The thread next to one that multiplies the same number in the same step; undefined if there is none.
function nearest(thread, step, operand, { places: { of } }) {
  const isSame = (factor) => operand && factor.some((load) => load.array === operand.array && load.element === operand.element);
  if (!of[thread]) return undefined;
  const others = step.threads.filter((other, place) => other !== thread && of[other] && step.factors[place].some(isSame));
  const far = (other) => Math.abs(of[other][0] - of[thread][0]) + Math.abs(of[other][1] - of[thread][1]);
  return others.sort((one, two) => far(one) - far(two))[0];
}

// Loads that end in a tile fly there at once; those of a kernel without tiles, to their threads.
function flightsOf(steps, { a, b, c, tiles, places }) {
  const hue = (array) => (array === a || array === tiles?.[0] ? "A" : array === c ? "C" : "B");
  const flights = [];
  for (const step of steps) {
    step.threads.forEach((thread, place) => {
      const at = { array: step.array, element: step.elements[place] };
      const value = step.values[place]?.[0];
      if (step.kind === "store" && step.array === c) flights.push({ from: { thread }, to: at, value, hue: "C" });
      else if (step.kind === "store" && tiles?.includes(step.array)) {
        for (const from of step.from[place]) flights.push({ from, to: at, value, hue: hue(step.array) });
      } else if (step.kind === "load" && !tiles && (step.array === a || step.array === b)) flights.push({ from: at, to: { thread }, value, hue: hue(step.array) });
    });
  }
  const known = (end) => (end.thread !== undefined && places.of[end.thread]) || [a, b, c, ...(tiles ?? [])].includes(end.array);
  return flights.filter(({ from, to }) => known(from) && known(to)).slice(0, MOST_FLIGHTS_OF_A_BEAT);
}

// The state of each square: "mine" of the thread that is told of, "now" of others in this beat, "tile" loaded in this
// phase, "filled" a 0 without a load.
function looksOf(replay, beat, told, roles) {
  const [mine, now] = [new Set(), new Set()];
  for (const step of told.steps) {
    if (step.array < 0) continue;
    step.elements.forEach((element, place) => {
      for (let i = 0; i < step.count; i++) (step.threads[place] === told.thread ? mine : now).add(`${step.array} ${element + i}`);
    });
  }
  for (const operand of told.operands) for (const { array, element } of operand?.parts ?? (operand ? [operand] : [])) mine.add(`${array} ${element}`);
  return (array) => {
    const tile = isGlobal(array) && roles.tiles ? replay.tiles[replay.phase]?.[array] : null;
    return (element) => {
      const key = `${array} ${element}`;
      const state = mine.has(key) ? "mine" : now.has(key) ? "now" : replay.at > 0 && tile?.has(element) ? "tile" : "";
      return replay.cells[array][element]?.isFilled ? `${state} filled` : state;
    };
  };
}

// The sentence of a beat and the one below it; a sentence may have parts in the colours of A and B.
function tellBeat(replay, beat, told, uses, texts, roles) {
  const who = capital(threadName(told.thread));
  if (beat.kind === "wait") return beat.isLast ? texts.waitRead : texts.waitFull;
  if (beat.kind === "multiply") return tellMultiply(who, told, uses, texts, roles);
  if (beat.kind === "store") return told.stored ? texts.store(who, short(told.stored.values[told.storedAt]?.[0]), elementName(roles.c, told.stored.elements[told.storedAt])) : texts.outside(who);
  if (beat.kind === "end") return texts.end(who);
  if (!told.stored) return told.loaded ? [texts.loads(who, short(told.loaded.values[told.loadedAt]?.[0]), elementName(told.loaded.array, told.loaded.elements[told.loadedAt])), ""] : texts.outside(who);
  const to = elementName(told.stored.array, told.stored.elements[told.storedAt]);
  const sources = [...told.stored.from[told.storedAt]].sort((one, two) => one.element - two.element);
  const [from, second] = sources;
  if (!from) return [texts.zero(who, to), texts.zeroWhy];
  const users = uses.get(`${from.array} ${from.element}`)?.size ?? 0;
  if (second) {
    const [one, two] = sources.map((each) => elementName(each.array, each.element));
    return [texts.pair(who, [short(from.value), one], [short(second.value), two], short(told.stored.values[told.storedAt]?.[0]), to), texts.pairWhy(users)];
  }
  return [texts.load(who, short(from.value), elementName(from.array, from.element), to), texts.loadWhy(users, told.threads.length, told.stored.array === roles.tiles[0] ? "A" : "B")];
}

function tellMultiply(who, told, uses, texts, { places }) {
  const [a, b] = told.operands;
  if (!a || !b) return ["", ""];
  const coloured = (text, hue) => make("b", { class: `of-${hue}` }, text);
  const product = short(a.value * b.value);
  const sentence = told.isMultipliedOut ? texts.multiplyOut(who, a.parts.flatMap((one, i) => b.parts.flatMap((two, j) => [...(i + j ? [" + "] : []), coloured(short(one.value), "A"), " × ", coloured(short(two.value), "B")])), product) : texts.multiply(who, coloured(factorText(a), "A"), coloured(factorText(b), "B"), product);
  const others = [a, b].map((operand) => {
    const [root] = rootsOf([operand]);
    return [...(uses.get(`${root.array} ${root.element}`) ?? [])].filter((thread) => thread !== told.thread);
  });
  const values = [factorText(a), factorText(b)];
  if (!HAS_TILES) return [sentence, texts.again(values, others.map(({ length }) => length))];
  if (others.every(({ length }) => length > 1)) return [sentence, texts.alsoMany(values, others.map(({ length }) => length))];
  const served = values.flatMap((value, i) => (others[i].length ? [value, whom(told.thread, others[i], texts, places)] : []));
  return [sentence, served.length ? texts.also(...served) : texts.alone];
}

// Other threads as seen from one: its neighbour, or how many.
function whom(thread, others, texts, { of }) {
  if (others.length > 1) return texts.others(others.length);
  const [[row, column], [otherRow, otherColumn]] = [of[thread], of[others[0]]];
  if (row === otherRow) return otherColumn > column ? texts.right : texts.left;
  return otherRow > row ? texts.below : texts.above;
}
