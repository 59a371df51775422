"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// Corpus words reach the page through textContent alone, so that none of them is read as markup.
function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function makeSvg(tag, attributes = {}, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const round = (value, digits = 3) => (value === null || value === undefined ? "" : value.toFixed(digits));
const shade = (weight) => `rgba(31, 95, 153, ${Math.min(1, weight).toFixed(3)})`;
const inkOn = (weight) => (weight > 0.55 ? "#fff" : "inherit");

function showTip(event, text) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 8))}px`;
  tip.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 8))}px`;
}
const hideTip = () => { byId("tip").hidden = true; };

function withTip(node, text) {
  node.addEventListener("mousemove", (event) => showTip(event, text));
  node.addEventListener("mouseleave", hideTip);
  return node;
}

// --- sentences -------------------------------------------------------------------------------------------------

let kept = null; // the prediction that a click keeps: [sentence, word]

function drawSentences(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const list = byId("sentence-list");
  list.replaceChildren();
  let found = 0;
  data.sentences.forEach((sentence, number) => {
    const lower = sentence.words.map((word) => word.toLowerCase());
    if (!words.every((wanted) => lower.some((word) => word.includes(wanted)))) return;
    found += 1;
    const line = make("p", { className: "sentence" });
    ["<s>", ...sentence.words].forEach((word, place) => {
      const node = make("span", { className: "word", textContent: word });
      if (words.some((wanted) => word.toLowerCase().includes(wanted))) node.classList.add("hit");
      if (place > 0) {
        node.tabIndex = 0;
        node.addEventListener("mouseenter", () => { if (!kept) showPrediction(line, number, place - 1); });
        node.addEventListener("focus", () => showPrediction(line, number, place - 1));
        node.addEventListener("click", () => {
          const same = kept && kept[0] === number && kept[1] === place - 1;
          kept = same ? null : [number, place - 1];
          showPrediction(line, number, place - 1);
        });
      }
      line.append(node, " ");
    });
    list.append(line);
  });
  byId("sentence-count").textContent = `${found} of ${data.sentences.length} sentences`;
}

function clearSentence(line) {
  line.classList.remove("active");
  for (const node of line.querySelectorAll(".word")) {
    node.classList.remove("target");
    node.style.background = node.style.color = "";
  }
}

function showPrediction(line, number, step) {
  document.querySelectorAll(".sentence.active").forEach(clearSentence);
  const sentence = data.sentences[number];
  const history = ["<s>", ...sentence.words];
  const nodes = line.querySelectorAll(".word");
  const weights = sentence.weights[step];
  const first = step + 1 - weights.length;
  line.classList.add("active");
  nodes[step + 1].classList.add("target");
  weights.forEach((weight, offset) => {
    nodes[first + offset].style.background = shade(weight / 1000);
    nodes[first + offset].style.color = inkOn(weight / 1000);
  });
  const attended = weights.map((weight, offset) => [weight / 1000, first + offset]).sort((a, b) => b[0] - a[0]).slice(0, 6);
  byId("details").replaceChildren(
    make("h3", { textContent: `to predict: ${sentence.words[step]}` }),
    make("p", { textContent: `log-probability ${sentence.logs[step].toFixed(2)}${kept ? " (kept; click again to let go)" : ""}` }),
    makeTable(["expected", "log-probability"], sentence.top[step].map(([word, log]) => [word, log.toFixed(2)])),
    make("h3", { textContent: "most attended" }),
    makeTable(["word", "position", "attention"],
      attended.map(([weight, place]) => [history[place], String(place - step - 1), weight.toFixed(3)])),
  );
}

// --- tables ----------------------------------------------------------------------------------------------------

const isNumber = (text) => text !== "" && !Number.isNaN(Number(text));

function makeTable(header, rows, table = make("table")) {
  const numeric = header.map((_, column) => rows.some((row) => row[column] !== "") && rows.every((row) => row[column] === "" || isNumber(row[column])));
  const head = make("tr");
  const body = make("tbody");
  header.forEach((name, column) => {
    const cell = make("th", { textContent: name, className: numeric[column] ? "number" : "", title: "sort" });
    let down = false;
    cell.addEventListener("click", () => {
      down = !down;
      const sorted = [...rows].sort((a, b) => numeric[column] ? Number(a[column]) - Number(b[column]) : a[column].localeCompare(b[column]));
      fill(down ? sorted.reverse() : sorted);
    });
    head.append(cell);
  });
  function fill(shown) {
    body.replaceChildren(...shown.map((row) => make("tr", {}, ...row.map((text, column) =>
      make("td", { textContent: text, className: numeric[column] ? "number" : "" })))));
  }
  fill(rows);
  table.replaceChildren(make("thead", {}, head), body);
  return table;
}

function drawPairs(query) {
  const wanted = query.toLowerCase().trim();
  const shown = data.pairs.filter((pair) => pair.attended.toLowerCase().includes(wanted) || pair.predicted.toLowerCase().includes(wanted));
  const counts = (pair) => (data.training_counts ? [String(pair.training_count), String(pair.training_count_any)] : []);
  makeTable(
    ["attended", "to predict", "distance", "count", "mean attention", ...(data.training_counts ? ["in training", "at any distance"] : [])],
    shown.map((pair) => [pair.attended, pair.predicted, String(pair.distance), String(pair.count), round(pair.mean_weight), ...counts(pair)]),
    byId("pair-table"));
  byId("pair-count").textContent = `${shown.length} of ${data.pairs.length} pairs`;
}

// --- charts ----------------------------------------------------------------------------------------------------

function drawPositions() {
  const rows = data.positions;
  const key = rows[0].mean_full_window === null ? "mean" : "mean_full_window";
  const width = 44, height = 180, top = 16;
  const highest = Math.max(...rows.map((row) => row[key] || 0), 1e-9);
  const chart = makeSvg("svg", { width: rows.length * width, height: height + top + 22, role: "img" });
  rows.forEach((row, place) => {
    const value = row[key] || 0;
    const tall = (height * value) / highest;
    const bar = makeSvg("rect", { x: place * width + 4, y: top + height - tall, width: width - 8, height: Math.max(tall, 1), fill: "#1f5f99" });
    withTip(bar, `position ${row.position}: mean attention ${round(row.mean)} over ${row.predictions} predictions, ${round(row.mean_full_window)} with a full window; most attended in ${round(100 * (row.most_attended || 0), 1)} %`);
    const middle = place * width + width / 2;
    chart.append(bar,
      makeSvg("text", { x: middle, y: top + height - tall - 4, "text-anchor": "middle", class: "bar-label" }, round(value, 2)),
      makeSvg("text", { x: middle, y: height + top + 16, "text-anchor": "middle", class: "bar-label" }, row.position));
  });
  byId("position-chart").append(make("div", { className: "scroll" }, chart));
}

function drawSamples() {
  if (data.samples.length === 0) {
    byId("sample-map").textContent = "no prediction has a full window";
    return;
  }
  const size = 12, left = 30, below = 96;
  const rows = data.memory;
  const map = makeSvg("svg", { width: left + data.samples.length * size + 10, height: rows * size + below, role: "img" });
  for (let row = 0; row < rows; row += 1) {
    map.append(makeSvg("text", { x: left - 4, y: row * size + 10, "text-anchor": "end", class: "bar-label" }, row - rows));
  }
  data.samples.forEach((sample, column) => {
    const x = left + column * size;
    sample.weights.forEach((weight, row) => {
      const cell = makeSvg("rect", { x, y: row * size, width: size, height: size, fill: shade(weight), stroke: "#e8edf2", "stroke-width": 0.5 });
      map.append(withTip(cell, `${sample.history[row]} (${row - rows}) for ${sample.predicted}: ${round(weight)}`));
    });
    const y = rows * size + 8;
    map.append(makeSvg("text", { x: x + size / 2 + 3, y, class: "bar-label", "text-anchor": "end", transform: `rotate(-90 ${x + size / 2 + 3} ${y})` }, sample.predicted));
  });
  byId("sample-map").append(map);
}

function drawExamples() {
  byId("example-list").replaceChildren(...data.examples.map((example) => {
    const line = make("p", { className: "example" });
    example.history.forEach((word, place) => {
      const weight = example.weights[place];
      const node = make("span", { className: "word", textContent: word });
      node.style.background = shade(weight);
      node.style.color = inkOn(weight);
      line.append(withTip(node, `${word}: ${round(weight)}`), " ");
    });
    line.append(make("span", { className: "word target", textContent: example.predicted }), ` expected: ${example.top.map((guess) => `${guess.word} (${guess.log_probability.toFixed(1)})`).join(", ")}`);
    return line;
  }));
}

function drawRelations(query) {
  const wanted = query.toLowerCase().trim();
  const { bins, relations } = data.relations;
  const highest = Math.max(...relations.filter((row) => row.pairs >= 20).flatMap((row) => row.mean_weight.map((mean) => mean || 0)), 1e-9);
  const head = make("tr", {}, make("th", { textContent: "relation" }), make("th", { textContent: "pairs", className: "number" }),
    ...bins.map(([first, last]) => make("th", { textContent: first === last ? String(first) : `${first}..${last}` })));
  const rows = relations.filter((row) => row.relation.toLowerCase().includes(wanted)).map((row) => make("tr", {},
    make("td", { textContent: row.relation }), make("td", { textContent: String(row.pairs), className: "number" }),
    ...row.mean_weight.map((mean, bin) => {
      const cell = make("td", { textContent: round(mean, 2), className: "shade" });
      if (mean !== null) {
        cell.style.background = shade(mean / highest);
        cell.style.color = inkOn(mean / highest);
        withTip(cell, `${row.relation}: mean attention ${round(mean, 4)} over ${row.pairs_by_bin[bin]} pairs`);
      }
      return cell;
    })));
  byId("relation-table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
  makeTable(["path", "pairs", "mean distance", "attention", "usual there", "ratio"],
    data.paths.filter((row) => row.path.toLowerCase().includes(wanted)).map((row) =>
      [row.path, String(row.pairs), round(row.mean_distance, 1), round(row.mean_weight), round(row.usual_weight), round(row.ratio, 2)]),
    byId("path-table"));
}

// --- start -----------------------------------------------------------------------------------------------------

byId("sentence-search").addEventListener("input", (event) => { kept = null; drawSentences(event.target.value); });
byId("pair-search").addEventListener("input", (event) => drawPairs(event.target.value));
drawSentences("");
drawPositions();
drawSamples();
byId("pair-about").textContent = `${data.far_pairs} words are predicted with the greatest weight on a word more than six positions back; ${data.far_left_out} more with <s>, </s> or <unk> are left out.`;
makeTable(["distance", "pairs", "occurrences", ...(data.training_counts ? ["mean training count", "at any distance"] : [])],
  data.distances.map((row) => [String(row.distance), String(row.pairs), String(row.occurrences),
    ...(data.training_counts ? [round(row.mean_count, 1), round(row.mean_count_any, 1)] : [])]),
  byId("distance-table"));
drawPairs("");
drawExamples();
if (data.relations) {
  byId("relation-search").addEventListener("input", (event) => drawRelations(event.target.value));
  drawRelations("");
} else {
  byId("relations").replaceChildren(make("h2", { textContent: "Attention by dependency" }), make("p", { textContent: "Give a CoNLL-U treebank with heads to see it." }));
}
document.body.dataset.ready = "true";
