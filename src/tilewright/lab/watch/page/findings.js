// What the lab found, each with a way to where it happens.

function placeOfTwo({ line, other_line: other }) {
  const [first, second] = [ownLine(other), ownLine(line)];
  return first[1] === second[1] ? texts.names.lines(first[0], second[0], first[1]) : texts.names.list([lineName(other), lineName(line)]);
}

const kindName = ({ kind }) => texts.findings.kinds[kind] ?? kind;

class Findings {
  // none: what is said where there is nothing.
  constructor(node, jump, none = () => texts.findings.none) {
    Object.assign(this, { node, jump, none });
  }

  say() {
    const { node, jump } = this;
    Object.assign(this, { items: [], alarm: null });
    node.replaceChildren();
    if (TRACE.launch.fault) node.append(make("p", { class: "fault" }, texts.findings.fault, inEnglish("span", null, TRACE.launch.fault)));
    if (TRACE.recorded.cut) node.append(inEnglish("p", "fault", TRACE.recorded.cut));
    if (!TRACE.findings.length) node.append(make("p", {}, this.none()));
    TRACE.findings.forEach((finding) => {
      const isError = finding.severity === "error";
      const item = make("article", { class: `finding ${finding.severity}` });
      const place = finding.other_line && finding.other_line !== finding.line ? placeOfTwo(finding) : finding.line ? lineName(finding.line) : texts.findings.elsewhere;
      item.append(make("h3", {}, `${isError ? "✕" : "△"} ${kindName(finding)}, ${place}`));
      item.append(inEnglish("p", null, finding.message), inEnglish("p", "advice", finding.advice));
      const places = finding.at.filter(([block]) => block < BLOCKS.length);
      // Of a race, first where something is overwritten: that is the harm.
      const isRead = ([block, step]) => finding.kind === "race" && BLOCKS[block].steps[step].kind === "load";
      places.sort((one, other) => isRead(one) - isRead(other));
      if (places.length) {
        const button = make("button", { type: "button" }, texts.findings.show(places.length));
        let next = 0;
        button.addEventListener("click", () => {
          const [block, step, lanes] = places[next++ % places.length];
          jump(block, step + 1, 32 * BLOCKS[block].steps[step].warp + lanes[0]);
        });
        item.append(button);
      }
      this.items.push(item);
      node.append(item);
    });
  }

  show(replay) {
    const marks = MARKS[replay.number].get(replay.at - 1) ?? [];
    const now = new Set(marks.map((mark) => mark.number));
    this.items.forEach((item, number) => item.classList.toggle("now", now.has(number)));
    const errors = marks.filter((mark) => mark.finding.severity === "error");
    const alarm = byId("alarm");
    alarm.hidden = errors.length === 0;
    if (this.alarm === errors[0]?.finding) return;
    this.alarm = errors[0]?.finding;
    alarm.replaceChildren(...(errors.length ? [`✕ ${kindName(errors[0].finding)}: `, inEnglish("span", null, errors[0].finding.message)] : []));
  }
}
