// What stands below the stage, one group of panels at a time.

class Tabs {
  // shown: called when another group is there to be filled.
  constructor(main, shown) {
    this.panels = [...main.querySelectorAll("[data-tab]")];
    this.columns = [...main.querySelectorAll(".column")];
    this.shown = shown;
    this.node = make("div", { role: "tablist" });
    this.buttons = [...new Set(this.panels.map(({ dataset }) => dataset.tab))].map((name) => {
      const count = name === "findings" && TRACE.findings.length;
      const button = make("button", { type: "button", role: "tab", "data-name": name, "aria-controls": main.id }, make("span", { "data-say": name }), count ? ` (${count})` : "");
      button.addEventListener("click", () => this.show(name));
      return button;
    });
    this.node.append(...this.buttons);
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.show("memory");
  }

  show(name) {
    for (const panel of this.panels) panel.classList.toggle("elsewhere", panel.dataset.tab !== name);
    for (const column of this.columns) column.classList.toggle("elsewhere", !column.querySelector(".panel:not(.elsewhere)"));
    for (const button of this.buttons) {
      const isShown = button.dataset.name === name;
      button.setAttribute("aria-selected", String(isShown));
      button.tabIndex = isShown ? 0 : -1;
    }
    this.shown();
  }

  // Here the arrows go from tab to tab; elsewhere they step.
  key(event) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.stopPropagation();
    const { length } = this.buttons;
    const next = this.buttons[(this.buttons.indexOf(document.activeElement) + way + length) % length];
    next.focus();
    next.click();
  }
}
