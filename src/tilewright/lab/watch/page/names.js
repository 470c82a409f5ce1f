// Names and numbers as they are shown.

const short = (value) => {
  if (value === null || value === undefined) return "·";
  if (Number.isNaN(value)) return "NaN";
  if (Number.isInteger(value)) return String(value);
  const text = value.toPrecision(4);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
};

function indicesOf(array, element) {
  const indices = [];
  for (const extent of array.shape.slice(1).reverse()) {
    indices.unshift(((element % extent) + extent) % extent);
    element = Math.floor(element / extent);
  }
  return [element, ...indices];
}

function elementName(number, element) {
  const array = ARRAYS[number];
  return array ? array.name + indicesOf(array, element).map((index) => `[${index}]`).join("") : texts.names.memory;
}

const threadIndex = (number) => {
  const [x, y] = BLOCK_SIZE;
  return [number % x, Math.floor(number / x) % y, Math.floor(number / (x * y))];
};

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// A line of the listing by the number that it has in its own file.
const HEADERS = Object.entries(TRACE.kernel.headers ?? {}).sort((a, b) => b[1] - a[1]);
const ownLine = (line) => {
  const header = HEADERS.find(([, before]) => line > before);
  return header ? [line - header[1], header[0]] : [line, null];
};
const lineName = (line) => {
  const [number, file] = ownLine(line);
  return texts.names.line(number, file);
};

// threadIdx without its trailing ones, as in (1, 0).
function indexName(index, extent) {
  const dimensions = extent[2] > 1 ? 3 : extent[1] > 1 ? 2 : 1;
  return `(${index.slice(0, dimensions).join(", ")})`;
}

const threadName = (number) => texts.names.thread(indexName(threadIndex(number), BLOCK_SIZE));
const blockName = (block) => texts.names.block(indexName(block, GRID));
const counted = (count) => numbers.format(count);
const plural = (count, one, many) => `${counted(count)} ${count === 1 ? one : many}`;

// "0 to 3, 5" for whole numbers in order.
function ranges(list) {
  const parts = [];
  for (let i = 0; i < list.length; i++) {
    let end = i;
    while (list[end + 1] === list[end] + 1) end += 1;
    parts.push(end - i > 1 ? texts.names.range(list[i], list[end]) : list.slice(i, end + 1).join(", "));
    i = end;
  }
  return parts.join(", ");
}

// The origin of a factor: the elements of A or B that it was made of, or its own where nothing is behind it.
function rootsOf(loads) {
  return loads.flatMap((load) => (load.behind && load.behind.length ? load.behind : [load]));
}

const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") node.className = value;
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};

const byId = (id) => document.getElementById(id);
const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };
