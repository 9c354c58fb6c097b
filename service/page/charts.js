"use strict";
// Elements and charts. Whatever comes from data becomes text, never markup.

// el makes an element: el("p", {class: "x"}, "text", child, …). on… are listeners.
function el(name, attributes, ...children) {
  const svg = ["svg", "rect", "line", "path", "text", "g", "title"].includes(name);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value === true) e.setAttribute(key, "");
    else if (value !== false && value != null) e.setAttribute(key, value);
  }
  e.append(...children.flat().filter(c => c != null && c !== false));
  return e;
}

// number prints a number for people.
function number(x, digits = 3) {
  if (x == null || !isFinite(x)) return "–";
  if (Math.abs(x) < 5e-13) return "0";
  const a = Math.abs(x);
  return a >= 1e6 || a < 1e-4 ? x.toExponential(digits - 1) : String(Number(x.toPrecision(a >= 100 ? Math.ceil(Math.log10(a + 1)) : digits)));
}
const signed = x => (x > 5e-13 ? "+" : "") + number(x).replace("-", "−");
const percent = x => number(100 * x, 3) + " %";
const count = x => Number(x).toLocaleString("en");
const duration = s => s < 90 ? Math.max(1, Math.round(s)) + " s" : s < 5400 ? Math.round(s / 60) + " min" : number(s / 3600, 2) + " h";

// bar is a value between low and high around zero, with the interval from from to to.
function bar(value, from, to, low, high, words, kind) {
  const width = 200, at = x => (high > low ? (x - low) / (high - low) : .5) * width;
  const a = Math.min(at(0), at(value)), b = Math.max(at(0), at(value));
  return el("svg", {viewBox: "0 0 200 18", role: "img", "aria-label": words, preserveAspectRatio: "none"},
    el("rect", {x: a, y: 4, width: Math.max(1, b - a), height: 10, class: kind || (value < 0 ? "down" : "up")}),
    el("line", {x1: at(0), x2: at(0), y1: 0, y2: 18, class: "axis"}),
    from != null && el("line", {x1: at(from), x2: at(to), y1: 9, y2: 9, class: "whisker"}),
    from != null && el("line", {x1: at(from), x2: at(from), y1: 5, y2: 13, class: "whisker"}),
    from != null && el("line", {x1: at(to), x2: at(to), y1: 5, y2: 13, class: "whisker"}));
}

// histogram is counts between low and high.
function histogram(counts, words, mark) {
  const bars = counts.counts;
  if (!bars.length) return el("p", {class: "faint"}, "All are the same.");
  const width = 640, height = 150, most = Math.max(...bars, 1), step = width / bars.length;
  const at = x => (x - counts.low) / (counts.high - counts.low) * width;
  const ticks = [0, .25, .5, .75, 1].map(t => counts.low + t * (counts.high - counts.low));
  return el("svg", {viewBox: `0 0 ${width} ${height + 22}`, role: "img", "aria-label": words},
    bars.map((n, i) => el("rect", {x: i * step + .5, width: step - 1, y: height - n / most * (height - 8), height: n / most * (height - 8), class: "up"}, el("title", {}, count(n)))),
    el("line", {x1: 0, x2: width, y1: height, y2: height, class: "axis"}),
    mark != null && mark > counts.low && mark < counts.high && el("line", {x1: at(mark), x2: at(mark), y1: 0, y2: height, class: "whisker"}),
    ticks.map((x, i) => el("text", {x: at(x), y: height + 16, "text-anchor": ["start", "middle", "middle", "middle", "end"][i]}, number(x))));
}

// curves are lines over x: [{class, points: [[x, y], …], steps}].
function curves(lines, xName, words, whole) {
  const all = lines.flatMap(l => l.points);
  if (all.length === 0) return el("p", {class: "faint"}, "Nothing to draw yet.");
  const width = 640, height = 240, left = 66, room = 26;
  const xs = all.map(p => p[0]), ys = all.map(p => p[1]);
  let [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (x1 === x0) x1 = x0 + 1;
  if (y1 === y0) { y1 += Math.abs(y1) || 1; y0 -= Math.abs(y0) * .1; }
  const x = v => left + (v - x0) / (x1 - x0) * (width - left - 10), y = v => height - room - (v - y0) / (y1 - y0) * (height - room - 10);
  const path = l => l.points.map(([a, b], i) => (i === 0 ? "M" : l.steps ? `H${x(a).toFixed(1)}V` : "L") + (i === 0 || !l.steps ? `${x(a).toFixed(1)} ` : "") + y(b).toFixed(1)).join("");
  const rows = [0, .5, 1].map(t => y0 + t * (y1 - y0));
  const columns = whole ? [...new Set([x0, Math.round((x0 + x1) / 2), x1])] : [x0, (x0 + x1) / 2, x1];
  return el("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words},
    rows.map(v => el("g", {}, el("line", {x1: left, x2: width - 10, y1: y(v), y2: y(v), class: "grid-line"}), el("text", {x: left - 6, y: y(v) + 4, "text-anchor": "end"}, number(v, 4)))),
    columns.map((v, i) => el("text", {x: x(v), y: height - 8, "text-anchor": i === 0 ? "start" : i === columns.length - 1 ? "end" : "middle"}, number(v) + (i === columns.length - 1 ? " " + xName : ""))),
    lines.map(l => el("path", {d: path(l), class: "line " + l.class})));
}

// table is a table with a caption for screen readers.
function table(caption, heads, rows) {
  return el("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption},
    el("table", {}, el("caption", {class: "hidden"}, caption),
      el("thead", {}, el("tr", {}, heads.map(h => el("th", {scope: "col", class: h.startsWith("#") ? "number" : null}, h.replace(/^#/, ""))))),
      el("tbody", {}, rows.map(r => el("tr", {}, r)))));
}
const cell = (...content) => el("td", {}, ...content);
const numberCell = (...content) => el("td", {class: "number"}, ...content);
const barCell = svg => el("td", {class: "bar"}, svg);
