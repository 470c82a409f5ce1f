// What every picture of the stage is made of: two grounds, global memory and the block, and numbers that fly.

const LABEL = 18;
const SPACE = 12;

class Picture {
  constructor(svg, roles) {
    Object.assign(this, { svg, roles, isWide: false });
    this.back = draw("g");
    this.front = draw("g", { "aria-hidden": "true" });
    svg.append(this.back, this.front);
    this.panels = ["global", "block"].map((kind) => {
      const panel = { box: draw("rect", { class: `ground ${kind}`, rx: 8 }), title: draw("text", { class: "heading" }), note: draw("text", { class: "aside" }) };
      this.back.append(panel.box, panel.title, panel.note);
      return panel;
    });
  }

  ground(i, x, y, width, height) {
    const { box, title, note } = this.panels[i];
    for (const [key, value] of Object.entries({ x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 })) box.setAttribute(key, value);
    title.setAttribute("x", x + 12);
    title.setAttribute("y", y + 20);
    note.setAttribute("x", x + 12);
    note.setAttribute("y", y + 37);
    note.style.display = height > 300 && width > 260 ? "" : "none";
    this.top = height > 300 ? 44 : 26;
  }

  // Every number that the beat moves flies from where it was to where it goes.
  fly(flights, milliseconds) {
    this.land();
    for (const { from, to, value, hue } of flights) {
      const [start, end] = [from, to].map((place) => this.pointOf(place));
      const token = draw("text", { class: `flight of-${hue}` }, short(value));
      this.front.append(token);
      const at = ([x, y]) => `translate(${x}px, ${y}px)`;
      const flight = token.animate([{ transform: at(start) }, { transform: at(end) }], { duration: milliseconds, easing: "ease-in-out" });
      flight.onfinish = flight.oncancel = () => token.remove();
    }
  }

  get isFlying() {
    return this.front.querySelector(".flight") !== null;
  }

  // What is still on its way belongs to a picture that is gone.
  land() {
    for (const token of this.front.querySelectorAll(".flight")) token.remove();
  }

  // The thread or the element under a point of the picture.
  at(x, y) {
    for (const squares of this.squares) {
      const [column, row] = [Math.floor((x - squares.x) / squares.wide), Math.floor((y - squares.y) / squares.side)];
      if (column < 0 || row < 0 || column >= squares.columns || row >= squares.rows) continue;
      return { squares, row, column, thread: squares === this.threads ? this.threadOf(row * squares.columns + column) : undefined };
    }
    return null;
  }
}
