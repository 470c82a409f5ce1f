// An array as squares of the picture, and how SVG is drawn.

const SVG = byId("scene").namespaceURI;
const SMALLEST_TEXT = 11;
const TINY = 8;

function draw(tag, attributes = {}, text = null) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  return node;
}

// The largest legible text in a square, or one that is wider than high, in pixels; 0 if none is.
function textSize(side, longest, share = 0.5, wide = side) {
  const size = Math.floor(Math.min(Math.max(side * share, SMALLEST_TEXT), side - 4, (wide - 3) / (0.7 * longest)));
  return size < SMALLEST_TEXT ? 0 : size;
}

// One array as squares. Where digits would be illegible, a square's depth of colour is its number's magnitude.
class Squares {
  constructor(layer, label, hue, rows, columns, name) {
    Object.assign(this, { rows, columns, name, shown: [] });
    this.node = draw("g", { class: `squares of-${hue}` });
    this.label = draw("text", { class: "label" }, label);
    this.node.append(this.label);
    this.cells = Array.from({ length: rows * columns }, () => {
      const cell = { box: draw("rect", { class: "cell" }), text: draw("text", { class: "number" }), look: "" };
      this.node.append(cell.box, cell.text);
      return cell;
    });
    layer.append(this.node);
  }

  // share: of the side, for a number's height; down: how far below the middle it stands; wide: where wider than high.
  place(x, y, side, longest, share = 0.5, down = 0, wide = side) {
    Object.assign(this, { x, y, side, wide, text: textSize(side, longest, share, wide) });
    this.label.setAttribute("x", x);
    this.label.setAttribute("y", y - 6);
    const least = Math.min(side, wide);
    const gap = least > 14 ? 2 : least > 5 ? 1 : 0;
    // What all squares have alike is said once: large arrays have thousands of them.
    for (const [key, value] of Object.entries({ "--side": `${side - gap}px`, "--wide": `${wide - gap}px`, "--round": `${Math.min(3, side / 6)}px`, "--print": `${this.text || SMALLEST_TEXT}px` })) this.node.style.setProperty(key, value);
    this.node.classList.toggle("mute", !this.text);
    this.node.classList.toggle("tiny", least < TINY);
    this.cells.forEach(({ box, text }, i) => {
      const [left, top] = [x + (i % this.columns) * wide, y + Math.floor(i / this.columns) * side];
      box.setAttribute("x", left);
      box.setAttribute("y", top);
      if (!this.text) return;
      text.setAttribute("x", left + (wide - gap) / 2);
      text.setAttribute("y", top + (side - gap) / 2 + down * side);
    });
    this.shown = [];
  }

  // values: what the squares hold; look: the state of a square, by its number; word: how a value is written.
  show(values, look, largest, word = short) {
    this.cells.forEach((cell, i) => {
      const value = values[i];
      const key = word === short ? value : word(value);
      if (this.shown[i] !== key) {
        this.shown[i] = key;
        if (this.text) cell.text.textContent = value === null || value === undefined ? "" : word(value);
        const depth = (this.text && word === short) || value === null || value === undefined ? 0 : Math.min(1, Math.abs(value) / (largest || 1));
        cell.box.style.setProperty("--depth", `${Math.round(60 * depth)}%`);
      }
      const state = look(i);
      if (cell.look === state) return;
      cell.look = state;
      cell.box.setAttribute("class", `cell ${state}`);
      cell.text.setAttribute("class", `number ${state}`);
    });
  }

  middle(i) {
    return this.pointOf(Math.floor(i / this.columns) + 0.5, (i % this.columns) + 0.5);
  }

  pointOf(row, column) {
    return [this.x + column * this.wide - 1, this.y + row * this.side - 1];
  }
}
