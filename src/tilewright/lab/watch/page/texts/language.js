// The language that the page speaks: of all texts one object, by which everything that is said is found.

let texts = TEXTS.en;
let numbers = new Intl.NumberFormat("en");

// What stands on the page whatever it shows. Parts that say more are told by who calls this.
function speak(language) {
  const code = language in TEXTS ? language : "en";
  texts = TEXTS[code];
  numbers = new Intl.NumberFormat(code);
  document.documentElement.lang = code;
  document.title = texts.page.title(TRACE.kernel.name);
  const { page } = texts;
  for (const node of document.querySelectorAll("[data-say]")) setText(node, page[node.dataset.say]);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", page[node.dataset.label]);
  for (const node of document.querySelectorAll("[data-title]")) node.title = page[node.dataset.title];
  for (const node of document.querySelectorAll("[data-step]")) {
    const [label, title] = page.steps[node.dataset.step];
    node.setAttribute("aria-label", label);
    node.title = title;
  }
  for (const option of byId("speed").options) setText(option, page.pace(Number(option.value)));
  for (const option of byId("theme").options) setText(option, page[option.value]);
  byId("language").value = code;
}

// changed: called when another language was picked.
function placeLanguages(changed) {
  const languages = byId("language");
  for (const [code, { name }] of Object.entries(TEXTS)) languages.append(make("option", { value: code, lang: code }, name));
  languages.addEventListener("change", () => changed(languages.value));
}
