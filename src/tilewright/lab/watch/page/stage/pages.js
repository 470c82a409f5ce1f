// The stops of the story: the beats of the run, and between them pages that show no step: what is told before and after
// it, and what is asked. A page: where it stands, how many seconds it is shown at least, and what it shows.

function stopsOf(beats, replay, roles) {
  const end = replay.steps.length;
  const isTold = LESSON && TRACE === WHOLE;
  const stops = [];
  const before = [];
  if (isTold && LESSON.reads && fitsReads(roles)) before.push(...READS.map((which) => ({ kind: "reads", which })));
  if (isTold && HAS_TILES) before.push({ kind: "blocks" });
  if (isTold && roles.places.placed < THREADS && BLOCK_SIZE[1] === 1 && sizeOf(ARRAYS[roles.c]) <= MOST_IN_A_STRIP) before.push({ kind: "line" });
  for (const page of before) stops.push({ page, at: 0, beat: -1 });
  stops.push({ page: null, at: 0, beat: -1, isNew: true });
  const questions = isTold && HAS_TILES ? questionsOf(beats, roles) : new Map();
  let at = 0;
  beats.forEach((beat, number) => {
    const page = questions.get(number);
    if (page) stops.push({ page, at, beat: number - 1, seconds: 3 });
    stops.push({ page: null, at: beat.end, beat: number, isNew: beats.findIndex(({ kind, isLast }) => kind === beat.kind && isLast === beat.isLast) === number });
    at = beat.end;
  });
  const after = isTold && HAS_TILES ? [{ kind: "done" }, ...morePages(replay, roles), ...(LESSON.tiles.tiles.length > 1 ? [{ kind: "tiles", seconds: 10 }] : [])] : [];
  for (const page of after) stops.push({ page, at: end, beat: beats.length - 1, seconds: page.seconds });
  return stops;
}

const fitsReads = ({ a, b }) => LESSON.reads.A.length === sizeOf(ARRAYS[a]) && LESSON.reads.B.length === sizeOf(ARRAYS[b]);

// By the number of the beat before which it is asked: how many loads, and what the second barrier is for.
function questionsOf(beats) {
  const found = new Map();
  if (BESIDE) found.set(0, { kind: "loads", isOpen: true });
  const last = beats.findIndex(({ kind, isLast }) => kind === "wait" && isLast);
  if (last > 0 && LESSON.without["2"]) found.set(last + 1, { kind: "barrier", isOpen: true });
  return found;
}

// What may be answered: the right one, and numbers near it.
function choicesOf(page, texts, { loads, other }) {
  if (page.kind === "barrier") return texts.askBarrier.slice(1).map((text, i) => ({ text, isRight: i === 1 }));
  const numbers = new Set([loads / 2, loads, other, other * 2].filter((number) => Number.isInteger(number) && number > 0));
  return [...numbers].sort((one, two) => one - two).map((number) => ({ text: counted(number), isRight: number === loads }));
}

function answerButton(text, click) {
  const button = make("button", { type: "button", class: "answer" }, text);
  button.addEventListener("click", click);
  return button;
}

const judgement = ({ isRight }, texts) => (isRight === undefined ? "" : `${isRight ? texts.correct : texts.notQuite} `);

// The sentence of a question and what stands below it: its answers as buttons, or what is right.
function tellQuestion(page, thread, texts, planned, phases, answer) {
  const name = threadName(thread);
  const isLoads = page.kind === "loads";
  if (page.isOpen) {
    const buttons = choicesOf(page, texts, planned).map(({ text, isRight }) => answerButton(text, () => answer(isRight)));
    return [isLoads ? texts.askLoads(name)[0] : texts.askBarrier[0], buttons];
  }
  const wrong = LESSON.without["2"]?.problem;
  const [sentence, because] = isLoads ? texts.tellLoads(planned.loads, planned.other, phases) : texts.tellBarrier(wrong.wrong_elements, (wrong.m * wrong.n) / PAIR ** 2);
  return [judgement(page, texts) + sentence, isLoads ? because : [because, ...linksToRuns(texts)]];
}

// The run without the barrier that was asked about, and the one without the other.
const linksToRuns = (texts) => ["2", "1"].filter((number) => LESSON.without[number]).map((number) => linkToRun(number, texts.see(number)));

// Plays another run of this page. The page is read anew: everything in it is of one run.
function linkToRun(number, text) {
  const button = make("button", { type: "button", class: "answer run" }, text);
  button.addEventListener("click", () => {
    const link = linkNow();
    for (const each of ["beat", "without", "block", "play"]) link.delete(each);
    if (number) { link.set("without", number); link.set("play", ""); }
    location.hash = link;
    location.reload();
  });
  return button;
}
