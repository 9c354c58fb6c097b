"use strict";
// The page of the service: the answer, a row, a column, a live fit. It knows what /v1 says.

const $ = id => document.getElementById(id);
const state = {token: sessionStorage.getItem("optcomplete-token") || "", models: [], fit: null, info: null, turn: 0};

// ask asks the service; a fault becomes an Error with its words.
async function ask(path, body) {
  const headers = state.token ? {Authorization: "Bearer " + state.token} : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let r, answer;
  try {
    r = await fetch(path, {method: body === undefined ? "GET" : "POST", headers, body: body === undefined ? undefined : JSON.stringify(body)});
    answer = await r.json();
  } catch { throw new Error("The service does not answer. Is it still running?"); }
  if (!r.ok) {
    const e = new Error(answer.problem + (answer.remedy ? " (" + answer.remedy + ")" : ""));
    e.status = r.status;
    throw e;
  }
  return answer;
}
const about = (call, body) => ask("/v1/models/" + encodeURIComponent(state.info.name) + "/" + call, body);

// Words of the data: users, books, ratings.
const noun = key => (state.info && state.info.nouns && state.info.nouns[key]) || key;
function plural(word) {
  const irregular = {person: "people", child: "children", man: "men", woman: "women", series: "series", species: "species"};
  return irregular[word] || (/[^aeiou]y$/.test(word) ? word.slice(0, -1) + "ies" : /(s|x|z|ch|sh)$/.test(word) ? word + "es" : word + "s");
}
const rows = () => plural(noun("row")), columns = () => plural(noun("column")), entries = () => plural(noun("entry"));
const named = c => c.name ? c.name : c.column || c.id;

function complain(e) {
  $("problem").textContent = e ? e.message : "";
  $("problem").hidden = !e;
}

// put replaces what an element holds; what is false is left out.
const put = (e, ...children) => e.replaceChildren(...children.flat().filter(c => c != null && c !== false && c !== ""));

// later calls a function once nothing has happened for a moment.
function later(f, ms = 200) {
  let timer;
  return (...args) => { clearTimeout(timer); timer = setTimeout(() => f(...args), ms); };
}

// guarded shows what goes wrong, and drops answers that a newer question has overtaken.
async function guarded(f) {
  const turn = ++state.turn;
  try {
    const show = await f();
    if (turn === state.turn) { complain(null); if (show) show(); }
  } catch (e) {
    if (e.status === 401) { login(); return; }
    if (turn === state.turn) complain(e);
  }
}

function login() {
  $("login").hidden = false;
  put($("view"));
  $("token").focus();
  if (state.token) complain(new Error("That token is not right."));
}
$("login").addEventListener("submit", e => {
  e.preventDefault();
  state.token = $("token").value.trim();
  sessionStorage.setItem("optcomplete-token", state.token);
  $("login").hidden = true;
  start();
});

// ---- Where one is: #view=row&model=m&id=x

const here = () => new URLSearchParams(location.hash.slice(1));
function go(changes) {
  const p = here();
  for (const [k, v] of Object.entries(changes)) v == null ? p.delete(k) : p.set(k, v);
  location.hash = p.toString();
}
const views = {answer: ["The answer", showAnswer], row: ["A row", showRow], column: ["A column", showColumn], table: ["A prediction", showLine], fit: ["Live fit", showFit]};

function open() {
  if (location.hash === "#main") return;
  const p = here(), wanted = p.get("model"), only = !state.models.length;
  const model = state.models.find(m => m.name === wanted) || state.models[0];
  const regression = model && model.kind === "regression";
  const names = only ? ["fit"] : [...(regression ? ["answer", "table"] : ["answer", "row", "column"]), ...(state.fit ? ["fit"] : [])];
  const view = names.includes(p.get("view")) ? p.get("view") : state.fit && state.fit.running ? "fit" : names[0];
  guarded(async () => {
    const info = model ? await ask("/v1/models/" + encodeURIComponent(model.name)) : null;
    return () => {
      state.info = info;
      $("title").textContent = info ? info.name : state.fit ? "optcomplete " + state.fit.verb : "No model";
      document.title = `${views[view][0]} – ${$("title").textContent} – OptComplete`;
      const label = {row: capital(a(noun("row"))), column: capital(a(noun("column")))};
      put($("views"), ...names.map(n => {
        const to = new URLSearchParams(); to.set("view", n); if (model) to.set("model", model.name);
        return el("li", {}, el("a", {href: "#" + to, "aria-current": n === view ? "page" : null}, label[n] || views[n][0]));
      }));
      put($("models"), ...state.models.map(m => el("option", {selected: m === model}, m.name)));
      $("picker").hidden = state.models.length < 2;
      put($("view"));
      $("view").dataset.view = view;
      guarded(() => views[view][1](p));
    };
  });
}
const capital = t => t.charAt(0).toUpperCase() + t.slice(1);
$("skip").addEventListener("click", e => { e.preventDefault(); $("main").focus(); });
$("models").addEventListener("change", () => go({model: $("models").value, id: null}));
addEventListener("hashchange", open);

async function start() {
  await guarded(async () => {
    const all = await ask("/v1/models");
    state.models = all.models;
    state.fit = all.fit ? await ask("/v1/fit") : null;
    return open;
  });
}

// ---- The answer

function showAnswer() {
  const i = state.info, c = i.certificate, things = count(i.features) + " features";
  const proof = [];
  let lead;
  if (!c) lead = `The method ${i.method} selects no features: it only predicts, and there is nothing to prove.`;
  else {
    const proven = c.certified && c.status === "optimal";
    lead = `Of ${things}, these ${i.k} explain the ${entries()} best${proven ? "" : " of all selections that the search has seen"}.`;
    proof.push(el("p", {}, el("span", {class: "badge" + (proven ? "" : " open")}, proven ? "Proven optimal" : c.certified ? "Gap " + percent(Math.min(1, c.gap)) : "Not proven"), " ",
      proven ? `No other selection of ${i.k} features costs less.` : c.certified ? `No selection of ${i.k} features is more than ${percent(Math.min(1, c.gap))} cheaper.` : "A better selection may exist."));
  }
  const cards = [];
  if (i.holdout) {
    const base = i.baselines.length && i.baselines.reduce((a, b) => (b.rmse < a.rmse ? b : a));
    if (base && base.rmse > 0 && i.loss === "squared") cards.push([i.holdout.rmse <= base.rmse ? "Better than averages" : "Worse than averages", percent(Math.abs(1 - i.holdout.rmse / base.rmse)), "RMSE, against the " + baseline(base.name)]);
    cards.push(["Typical error", number(i.holdout.rmse, 4), `RMSE on ${count(i.holdout.entries)} held-out ${i.kind === "regression" ? "rows" : entries()}`]);
  } else cards.push(["Typical error", "not known", "nothing was held out"]);
  for (const v of i.coverage.slice(-1)) cards.push([percent(v.probability) + " intervals", "hold " + percent(v.covered), `of the held-out ${entries()}`]);
  if (i.kind !== "regression") cards.push(["Data", count(i.observed), `${entries()} of ${count(i.rows)} ${rows()} and ${count(i.columns)} ${columns()}`]);
  return () => put($("view"), el("div", {class: "grid"},
    el("section", {class: "whole"}, el("h2", {}, "The answer"), el("p", {class: "lead"}, lead), ...proof,
      el("dl", {class: "cards"}, cards.map(([name, value, note]) => el("div", {}, el("dt", {}, name), el("dd", {}, el("b", {}, value), el("small", {}, note)))))),
    i.effects.length > 0 && el("section", {class: "whole"}, el("h2", {}, i.kind === "regression" ? "What each feature does" : `What each feature does, and how that differs over the ${rows()}`), effects(i)),
    i.warnings.length > 0 && el("section", {class: "whole"}, el("h2", {}, "Warnings"), el("ul", {}, i.warnings.map(w => el("li", {}, w))))));
}

// baseline names a simpler prediction in the words of the data.
const baseline = name => ({"mean of the row": "mean of each " + noun("row"), "mean of the column": "mean of each " + noun("column"), "row and column effects": `averages of ${rows()} and ${columns()}`, "mean of all values": "mean of all " + entries()}[name] || name);

// effects are the features with their spread over rows, or their coefficients.
function effects(i) {
  const spread = i.kind !== "regression";
  const of = e => spread ? e.step_spread : {median: e.per_step || e.population, q05: 0, q95: 0};
  const low = Math.min(0, ...i.effects.map(e => Math.min(of(e).q05, of(e).median))), high = Math.max(0, ...i.effects.map(e => Math.max(of(e).q95, of(e).median)));
  const needed = new Map(i.importance.map(x => [x.name, x]));
  const body = i.effects.map(e => {
    const s = of(e), n = needed.get(e.name);
    const way = !spread ? (s.median < 0 ? "down" : "up") : s.positive >= .75 ? "up" : s.positive <= .25 ? "down" : "both";
    const words = {up: "raises", down: "lowers", both: "differs"}[way];
    return [el("th", {scope: "row"}, {up: "▲ ", down: "▼ ", both: "◆ "}[way], e.name), cell(spread ? `${words}; above 0 for ${percent(s.positive)}` : words),
      barCell(bar(s.median, spread ? s.q05 : null, s.q95, low, high, `${e.name}: median ${signed(s.median)}, from ${signed(s.q05)} to ${signed(s.q95)} for nine in ten`, way)),
      numberCell(signed(s.median)), numberCell(n && n.removed > 0 ? "+" + percent(Math.max(0, n.increase)) : "–")];
  });
  return el("div", {}, table("Features and their effects", ["Feature", spread ? capital(rows()) : "Effect", spread ? "Effect, nine in ten " + rows() : "Effect", "#Median", "#Cost without it"], body),
    el("p", {class: "faint"}, (spread ? `The bar is the median ${noun("row")}, the line goes from the 5th to the 95th percentile. ` : "") + "Effects are for one standard deviation of a number, or for yes against no" + (i.scale ? `, on the scale of the ${i.scale}.` : ".")));
}

// ---- Finding rows and columns

function finder(what, label, choose) {
  const list = el("ul", {class: "found"}), id = "find-" + what;
  const search = later(text => guarded(async () => {
    const answer = await about(`${what}?limit=12&search=` + encodeURIComponent(text));
    return () => {
      put(list, ...answer.items.map(x => el("li", {}, el("button", {type: "button", "data-id": x.id, onclick: () => choose(x)}, named(x), el("span", {class: "faint"}, ` (${x.name ? x.id + ", " : ""}${count(x.entries)} ${entries()})`)))));
      $("said").textContent = answer.items.length + " found";
    };
  }));
  const input = el("input", {id, type: "search", autocomplete: "off", spellcheck: "false", oninput: () => search(input.value), onkeydown: e => { if (e.key === "Enter") { e.preventDefault(); search(input.value); } }});
  return el("div", {}, el("label", {for: id}, label, input), list);
}

// ---- A row

function showRow(p) {
  const i = state.info, id = p.get("id") || "";
  const what = {id, ratings: null, before: null}; // ratings: of the what-if; null: none
  const result = el("div", {class: "stack"}), whatIf = el("section", {class: "long"}), box = el("div", {class: "grid"}, el("div", {class: "stack"},
    el("section", {}, el("h2", {}, "Find " + a(noun("row"))), finder("rows", "Type an id", x => go({id: x.id})),
      i.folds_in && el("p", {}, el("button", {type: "button", id: "new-row", onclick: () => { what.id = ""; what.ratings = {}; update(); }}, `A new ${noun("row")}: what if?`))), whatIf), result);

  const question = () => what.ratings ? {...(what.id && what.before ? {row: what.id} : {}), ratings: patch()} : {row: what.id};
  // patch is what the request says: all ratings of a new row, those changed of a known one.
  function patch() {
    if (!what.before) return what.ratings;
    const out = {};
    for (const k of new Set([...Object.keys(what.before), ...Object.keys(what.ratings)])) if (what.before[k] !== what.ratings[k]) out[k] = what.ratings[k] === undefined ? null : what.ratings[k];
    return out;
  }
  function update() {
    guarded(async () => {
      const [best, worst] = await Promise.all([about("explain", {...question(), top: 6}), about("explain", {...question(), top: 6, lowest: true})]);
      return () => { put(result, ...rowParts(best, worst, what.ratings)); editor(); };
    });
  }
  const names = new Map();
  function editor() {
    const focused = document.activeElement && document.activeElement.dataset.rating;
    const able = what.ratings !== null;
    put(whatIf, el("h2", {}, able ? "What if?" : capital(entries())),
      !able && el("p", {class: "faint"}, !i.folds_in ? `The model knows ${rows()} by their features, not by ${entries()}.` :
        what.id ? `The model keeps which ${columns()} this ${noun("row")} has ${entries()} for, but not their values. Start the service with --ratings FILE to change them, or make a new ${noun("row")}.` : `Choose ${a(noun("row"))}, or make a new one.`),
      able && el("p", {class: "faint"}, `Change or add ${entries()}: everything moves at once. Nothing is saved.`),
      able && finder("columns", `Add ${a(noun("column"))}`, x => { names.set(x.id, named(x)); if (!(x.id in what.ratings)) what.ratings[x.id] = Number(number(i.mean)); update(); }),
      able && Object.keys(what.ratings).length > 0 && table(capital(entries()), [capital(noun("column")), capital(noun("entry")), "Without it"], Object.keys(what.ratings).slice(0, 200).map(c => {
        const name = names.get(c) || c;
        return [cell(name), cell(el("input", {type: "number", step: "any", value: what.ratings[c], "aria-label": `${capital(noun("entry"))} of ${name}`, "data-rating": c, oninput: e => { const v = e.target.valueAsNumber; if (isFinite(v)) { what.ratings[c] = v; change(); } }})),
          cell(el("button", {type: "button", "aria-label": "Remove " + name, onclick: () => { delete what.ratings[c]; update(); }}, "Remove"))];
      })));
    if (focused) for (const e of whatIf.querySelectorAll("[data-rating]")) if (e.dataset.rating === focused) e.focus();
  }
  const change = later(() => guarded(async () => {
    const [best, worst] = await Promise.all([about("explain", {...question(), top: 6}), about("explain", {...question(), top: 6, lowest: true})]);
    return () => put(result, ...rowParts(best, worst, what.ratings));
  }), 120);
  return (async () => {
    let shown = null;
    if (id) {
      const known = await about("row?id=" + encodeURIComponent(id));
      for (const c of known.seen) names.set(c.id, named(c));
      if (known.ratings && i.folds_in) { what.before = known.ratings; what.ratings = {...known.ratings}; }
      shown = await Promise.all([about("explain", {row: id, top: 6}), about("explain", {row: id, top: 6, lowest: true})]);
    }
    return () => {
      put($("view"), box);
      if (shown) put(result, ...rowParts(...shown, what.ratings));
      editor();
    };
  })();
}
const a = word => (/^([aeio]|u(?!s|ni|ti))/i.test(word) ? "an " : "a ") + word;

function rowParts(best, worst, whatIf) {
  const sure = t => t.interval || {low: t.per_sd, high: t.per_sd};
  const low = Math.min(0, ...best.terms.map(t => sure(t).low)), high = Math.max(0, ...best.terms.map(t => sure(t).high));
  const title = best.row || `The new ${noun("row")}`;
  return [el("section", {class: "whole", id: "coefficients"}, el("h2", {}, title),
    el("p", {class: "lead"}, best.new ? `Nothing is known about it yet: this is the average ${noun("row")}.` : `${count(best.entries)} ${best.entries === 1 ? noun("entry") : entries()}; level ${signed(best.effect - best.population_effect)} against the average ${noun("row")}.`),
    best.terms.length > 0 && table("Coefficients", ["Feature", `Difference from the average ${noun("row")}, per sd`, "#Difference", "By its interval"], best.terms.map(t => [el("th", {scope: "row"}, t.name),
      barCell(bar(t.per_sd, t.interval && t.interval.low, t.interval && t.interval.high, low, high, `${t.name}: ${signed(t.per_sd)}` + (t.interval ? `, 95 % interval ${signed(t.interval.low)} to ${signed(t.interval.high)}` : ""))),
      numberCell(signed(t.per_sd)), cell({"-1": "below average", 0: "", 1: "above average"}[t.differs])]))),
  items("Best " + columns(), best.top, false), items("Worst " + columns(), worst.top, true)];
}

// items are columns with their reasons.
function items(title, top, lowest) {
  return el("section", {}, el("h2", {}, title), top.length === 0 ? el("p", {class: "faint"}, "None is left.") :
    table(title, [capital(noun("column")), "#Prediction", "Why"], top.map(x => [cell(named(x)), numberCell(number(x.prediction, 4)), cell(reasons(x.whys, lowest))])));
}
function reasons(whys, lowest) {
  const list = (lowest ? [...whys].sort((a, b) => a.part - b.part) : whys).filter(w => lowest ? w.part < -5e-13 : w.part > 5e-13).slice(0, 3);
  const words = {"column effect": noun("column") + " effect", "row effect": noun("row") + " effect"};
  return list.map(w => `${words[w.name] || w.name} ${signed(w.part)}`).join(", ") || "–";
}

// ---- A column

function showColumn(p) {
  const i = state.info, id = p.get("id") || "", result = el("div", {class: "stack"}), form = el("section", {});
  const values = {};
  const show = answer => put(result, ...columnParts(answer));
  const change = later(() => guarded(async () => {
    const features = {};
    for (const [k, v] of Object.entries(values)) if (v !== "" && v != null) features[k] = v;
    const answer = await about("column", {features});
    return () => show(answer);
  }), 150);
  const inputs = of => el("div", {class: "fields"}, of.map(f => el("label", {}, f.name, control(f, v => { values[f.name] = v; change(); }))));
  const others = i.fields.filter(f => !f.selected);
  form.append(el("h2", {}, `A new ${noun("column")}: what if?`), el("p", {class: "faint"}, `Set its features: the predictions of all ${rows()} follow.`), inputs(i.fields.filter(f => f.selected)));
  if (others.length) form.append(el("details", {}, el("summary", {}, `${others.length} other features`), inputs(others)));
  return (async () => {
    const answer = id ? await about("column", {column: id}) : null;
    return () => {
      put($("view"), el("div", {class: "grid"}, el("div", {class: "stack"}, el("section", {}, el("h2", {}, "Find " + a(noun("column"))), finder("columns", "Type an id or a name", x => go({id: x.id}))), i.folds_in ? form : ""), result));
      if (answer) show(answer);
    };
  })();
}

function control(f, set) {
  if (f.type === "text" || f.type === "indicator") {
    const levels = f.type === "indicator" ? [["", "–"], ["1", "yes"], ["0", "no"]] : [["", "–"], ...f.levels.map(l => [l, l])];
    if (f.type === "indicator" || f.levels.length) return el("select", {"data-field": f.name, onchange: e => set(e.target.value)}, levels.map(([v, t]) => el("option", {value: v}, t)));
  }
  if (f.type === "numeric") return el("input", {type: "number", step: "any", "data-field": f.name, oninput: e => set(isFinite(e.target.valueAsNumber) ? e.target.valueAsNumber : "")});
  return el("input", {type: "text", "data-field": f.name, placeholder: f.levels.slice(0, 3).join("|"), oninput: e => set(e.target.value)});
}

function columnParts(c) {
  const s = c.spread, who = (title, list, lowest) => el("section", {}, el("h2", {}, title), table(title, [capital(noun("row")), "#Prediction", "Why"],
    list.map(x => [cell(el("a", {href: "#" + new URLSearchParams({view: "row", model: state.info.name, id: x.row})}, x.row)), numberCell(number(x.prediction, 4)), cell(reasons(x.whys, lowest))])));
  return [el("section", {class: "whole", id: "distribution"}, el("h2", {}, named(c)),
    el("p", {class: "lead"}, `${c.entries ? count(c.entries) + " " + (c.entries === 1 ? noun("entry") : entries()) : `No ${entries()} yet`}; nine in ten ${rows()} are predicted from ${number(s.q05)} to ${number(s.q95)}, the median is ${number(s.median)}.`),
    histogram(c.counts, `Distribution of the predictions of ${count(c.rows)} ${rows()}: median ${number(s.median)}`, s.median),
    el("p", {class: "faint"}, `Predictions of all ${count(c.rows)} ${rows()} with ${entries()}, without 1 % at either end; the line is the median.`),
    c.warnings.length > 0 && el("ul", {}, c.warnings.map(w => el("li", {}, w))),
    c.features.length > 0 && el("ul", {class: "chips", "aria-label": "Selected features"}, c.features.map(f => el("li", {}, `${f.name} ${f.unit === "yes against no" ? (f.value > .5 ? "yes" : "no") : number(f.value)}`)))),
  who("Who likes it, and why", c.highest, false), who("Who does not, and why", c.lowest, true)];
}

// ---- A prediction of a regression

function showLine() {
  const i = state.info, values = {}, result = el("section", {class: "whole"});
  const change = later(() => guarded(async () => {
    const record = {};
    for (const [k, v] of Object.entries(values)) if (v !== "" && v != null) record[k] = v;
    const e = await about("explain", {record});
    return () => {
      const low = Math.min(0, ...e.parts.map(x => x.part)), high = Math.max(0, ...e.parts.map(x => x.part));
      put(result, el("h2", {}, "Prediction " + number(e.prediction, 4)), table("Parts of the prediction", ["Feature", "Part", "#Value", "#Part"],
        [...e.parts.map(x => [el("th", {scope: "row"}, x.name), barCell(bar(x.part, null, null, low, high, `${x.name}: ${signed(x.part)}`)), numberCell(number(x.value)), numberCell(signed(x.part))]),
          [el("th", {scope: "row"}, "(intercept)"), cell(), cell(), numberCell(signed(e.intercept))]]));
    };
  }), 120);
  return () => {
    put($("view"), el("div", {class: "grid"}, el("section", {class: "whole"}, el("h2", {}, "Set the features"), el("div", {class: "fields"}, i.fields.map(f => el("label", {}, f.name, control(f, v => { values[f.name] = v; change(); }))))), result));
    change();
  };
}

// ---- A live fit

function showFit() {
  const box = el("div", {class: "grid"});
  return async () => {
    put($("view"), box);
    const headers = state.token ? {Authorization: "Bearer " + state.token} : {};
    try {
      const reader = (await fetch("/v1/fit/events", {headers})).body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const {value, done} = await reader.read();
        if (done || !box.isConnected) { reader.cancel(); break; }
        text += value;
        const parts = text.split("\n\n");
        text = parts.pop();
        for (const part of parts.slice(-1)) draw(JSON.parse(part.slice(6)));
      }
    } catch (e) { if (box.isConnected) complain(new Error("The fit's page was cut off. Is the program still running?")); }
  };
  function draw(s) {
    const before = state.fit;
    state.fit = s;
    if (!s.running && s.model && before && before.running) { // the fit has become a model
      $("said").textContent = "The fit is done.";
      start().then(() => go({view: "answer", model: s.model}));
      return;
    }
    const t = s.search, of = key => s.trace.filter(p => p[key] != null && p.k === (t && t.k) && p.sampled === (t && t.sampled)).map(p => [p.seconds, p[key]]);
    const last = before && before.search ? before.search.selected : [];
    const stop = box.querySelector("#stop"), focused = stop && document.activeElement === stop;
    put(box, 
      el("section", {class: "whole"}, el("h2", {}, s.running ? (s.stopping ? "Stopping: the best so far is being finished" : "The fit is running") : s.problem ? "The fit failed" : "The fit is done"),
        s.problem && el("p", {class: "problem"}, s.problem), el("p", {class: "faint"}, (s.running ? "Running for " : "It took ") + duration(s.seconds)),
        s.tasks.map(x => el("div", {}, el("p", {}, x.label + (x.total ? ` ${percent(x.done / x.total)}` : ` ${count(x.done)} ${x.unit}`) + (x.left ? `, about ${duration(x.left)} left` : "")), x.total ? el("progress", {max: x.total, value: x.done, "aria-label": x.label}) : "")),
        s.running && el("p", {}, el("button", {id: "stop", type: "button", class: "strong", disabled: s.stopping, onclick: () => guarded(async () => { await ask("/v1/fit/stop", {}); })}, "Stop with the best so far"))),
      t && el("section", {}, el("h2", {}, t.sampled ? "The search, on samples" : "The search"),
        curves([{class: "cost", points: of("cost"), steps: true}, {class: "bound", points: of("bound"), steps: true}], "s", "Cost of the best selection and the bound below it, over time"),
        el("div", {class: "key"}, el("span", {}, el("i", {}), "best selection " + number(t.cost, 6)), el("span", {}, el("i", {class: "bound"}), (t.sampled ? "of samples, proves nothing: " : "bound: ") + number(t.bound, 6)), el("span", {}, t.gap == null ? "no gap yet" : "gap " + percent(t.gap))),
        el("p", {class: "faint"}, `${count(t.nodes)} nodes, ${count(t.cuts)} cuts, ${count(t.passes)} passes`)),
      t && t.selected.length > 0 && el("section", {}, el("h2", {}, `The best ${t.selected.length} so far`), el("ul", {class: "chips"}, t.selected.map(f => el("li", {class: last.length && !last.includes(f) ? "new" : null}, f)))),
      s.points.length > 0 && el("section", {}, el("h2", {}, "Error by number of features"),
        curves([{class: "cost", points: s.points.filter(q => q.validation > 0).map(q => [q.k, q.validation])}, {class: "bound", points: s.points.map(q => [q.k, q.train])}], "features", "Training and validation error by number of features", true),
        el("div", {class: "key"}, el("span", {}, el("i", {}), "validation"), el("span", {}, el("i", {class: "bound"}), "training")),
        el("p", {class: "faint"}, `k = ${s.points[s.points.length - 1].k}: ${s.points[s.points.length - 1].selected.join(", ")}`)),
      s.gammas.length > 0 && el("section", {}, el("h2", {}, "γ tried"), table("γ tried", ["#γ", "#Validation error"], s.gammas.map(g => [numberCell(number(g.gamma)), numberCell(number(g.error, 5))]))),
      s.log.length > 0 && el("section", {class: "whole"}, el("h2", {}, "Log"), el("pre", {tabindex: 0, "aria-label": "Log", role: "region"}, s.log.join("\n"))));
    if (focused) { const again = box.querySelector("#stop"); if (again) again.focus(); }
  }
}

start();
