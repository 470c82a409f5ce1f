// What every page says of the launch: the problem, the grid with the blocks that were recorded, the result; the look.

const extent = (size) => size.filter((side, i) => side > 1 || i === 0).join(" × ");

function problemText() {
  if (!P.operation) return Object.entries(P.scalars ?? {}).map(([name, value]) => `${name} = ${value}`).join(", ");
  const sizes = P.operation === "dot" ? texts.launch.elements(P.k) : `${P.m} × ${P.k} ${texts.launch.times} ${P.k} × ${P.n}`;
  return `${P.operation}, ${sizes}${P.tile ? texts.launch.tile(P.tile) : ""}`;
}

function resultText() {
  const { launch: says } = texts;
  if (TRACE.launch.fault) return says.stopped;
  if (P.wrong_elements === null) return says.uncompared;
  const how = P.operation ? says.numpy : says.expected;
  return P.wrong_elements === 0 ? says.right(how) : says.wrong(P.wrong_elements, how);
}

// Sentences that come with the recording are English.
const inEnglish = (tag, className, text) => make(tag, { class: className, lang: "en" }, text);

// The head of the page, the notes, and what is chosen there.
function placeLaunch() {
  setText(document.querySelector("h1"), TRACE.kernel.name);
  byId("notes").append(...TRACE.notes.map((note) => inEnglish("p", "note", note)));
  const blocks = byId("block");
  byId("block-choice").hidden = BLOCKS.length < 2;
  BLOCKS.forEach(({ block }, number) => blocks.append(make("option", { value: String(number) }, indexName(block, GRID))));
  blocks.addEventListener("change", () => openBlock(Number(blocks.value)));
  const full = byId("full");
  full.hidden = window === top || !document.fullscreenEnabled;
  full.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
  byId("theme").value = document.documentElement.dataset.theme;
  byId("theme").addEventListener("change", (event) => { document.documentElement.dataset.theme = event.target.value; });
}

function markBlock(number) {
  for (const button of document.querySelectorAll("#blocks button")) {
    button.setAttribute("aria-pressed", String(button.dataset.number === String(number)));
  }
  byId("block").value = String(number);
}

// What the language changes of it.
function sayLaunch() {
  setText(byId("problem"), problemText());
  placeBlocks();
}

function placeBlocks() {
  const recorded = new Map(BLOCKS.map(({ block }, number) => [block.join(), number]));
  const [columns, rows] = [Math.min(GRID[0], 16), Math.min(GRID[1] * GRID[2], 16)];
  const table = make("table", { class: "blocks", "aria-label": texts.launch.blocks });
  for (let y = 0; y < rows; y++) {
    const line = make("tr");
    for (let x = 0; x < columns; x++) {
      const block = [x, y % GRID[1], Math.floor(y / GRID[1])];
      const number = recorded.get(block.join());
      const name = indexName(block, GRID);
      const isMissing = number === undefined;
      const button = make("button", { type: "button", class: isMissing ? "missing" : null, "aria-label": isMissing ? texts.launch.missing(blockName(block)) : blockName(block) }, name);
      if (!isMissing) button.dataset.number = String(number);
      button.addEventListener("click", () => {
        setText(byId("unrecorded"), isMissing ? tellUnrecorded(block) : "");
        if (!isMissing) openBlock(number);
      });
      line.append(make("td", {}, button));
    }
    table.append(line);
  }
  byId("blocks").replaceChildren(table);
  const missing = GRID[0] * GRID[1] * GRID[2] - BLOCKS.length;
  setText(byId("unrecorded"), missing ? texts.launch.unrecorded(missing) : "");
}

// The page only plays what was recorded: another block takes another recording.
function tellUnrecorded(block) {
  const index = block.slice(0, GRID[2] > 1 ? 3 : GRID[1] > 1 ? 2 : 1);
  return texts.launch.record(blockName(block), index, index.length === 1 ? "," : "");
}

function fillFacts(list, facts) {
  const key = JSON.stringify(facts);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...facts.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, String(text))]));
}
