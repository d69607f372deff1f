
"use strict";
// Everything from the data block goes into text nodes; nothing here parses markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("cells");
  const form = document.getElementById("filters");
  const find = document.getElementById("find");
  const columns = table.querySelectorAll("thead .host").length + 1;

  const make = (tag, text, name) => {
    const node = document.createElement(tag);
    if (text) node.textContent = text;
    if (name) node.className = name;
    return node;
  };

  // Unfolding -------------------------------------------------------------------------------------------------------

  const list = (rows) => {
    const dl = make("dl");
    for (const [label, value] of rows) {
      if (!value || (Array.isArray(value) && !value.length)) continue;
      dl.append(make("dt", label));
      const dd = make("dd");
      if (value instanceof Node) dd.append(value);
      else if (Array.isArray(value)) {
        const items = make("ol");
        for (const item of value) items.append(make("li", item));
        dd.append(items);
      } else dd.textContent = value;
      dl.append(dd);
    }
    return dl;
  };

  const panel = (cell) => {
    const attempt = data.attempts[cell.attempt];
    const claim = data.claims[cell.claim];
    const seen = cell.evidence || {};
    const box = make("div", "", "panel");
    const head = make("header");
    const titles = make("div");
    titles.append(make("h3", `${cell.adapter} on ${cell.host}: ${attempt.title}`), make("p", attempt.requirement, "quiet"));
    const close = make("button", "Close", "plain");
    close.type = "button";
    head.append(titles, close);
    const sides = make("div", "", "sides");
    sides.append(
      list([
        ["Honesty", `${cell.honesty} — ${data.means.honesty[cell.honesty]}`],
        ["Claim", `${claim.word} — ${claim.means}`],
        ["Source", claim.source],
        ["Quote", claim.quote && make("blockquote", claim.quote)],
        ["Why", claim.why],
        ["Versions", claim.versions],
        ["Rule kind", attempt.kind ? `${attempt.kind} — ${attempt.demand}` : "none: ordinary work"],
        ["Rule", seen.rule],
        ["Not sent", seen.unsent],
        ["References", attempt.references],
      ]),
      list([
        ["Observed", `${cell.observed} ${cell.shots} — ${data.means.reason[cell.reason]}`],
        ["Reason", cell.reason],
        ["Grade", cell.grade],
        ["Witness saw", seen.saw],
        ["Twin", seen.twin],
        ["Collateral", seen.collateral],
        ["Residue", seen.residue],
        ["Beacons", cell.evidence && (seen.beacons.length ? seen.beacons : "none")],
        ["Exit", seen.exit],
        ["Note", seen.note],
        ["Seconds", seen.seconds],
      ]),
    );
    box.append(head, sides);
    if (seen.output) box.append(make("p", `Output: ${data.texts.output}`, "quiet"), make("pre", seen.output));
    if (cell.reproduce) box.append(make("div", cell.reproduce, "reproduce"), make("p", `To look: ${data.texts.look}.`, "quiet"));
    return [box, close];
  };

  let open = null;
  const fold = (focus) => {
    if (!open) return;
    open.row.remove();
    open.button.setAttribute("aria-expanded", "false");
    if (focus) open.button.focus();
    open = null;
  };
  const unfold = (button) => {
    const again = open && open.button === button;
    fold(false);
    if (again) return;
    const row = make("tr", "", "detail");
    const td = make("td");
    td.colSpan = columns;
    const [box, close] = panel(data.cells[Number(button.id.slice(1))]);
    close.addEventListener("click", () => fold(true));
    td.append(box);
    row.append(td);
    button.closest("tr").after(row);
    button.setAttribute("aria-expanded", "true");
    open = { button, row };
  };

  const reveal = (id) => {
    const button = document.getElementById(id);
    if (!button || !button.classList.contains("cell")) return;
    reset();
    filter();
    if (!open || open.button !== button) unfold(button);
    button.scrollIntoView({ block: "center" });
    button.focus({ preventScroll: true });
  };

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button.cell");
    if (button) unfold(button);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-open]");
    if (!link) return;
    event.preventDefault();
    history.replaceState(null, "", link.hash);
    reveal(`c${link.dataset.open}`);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") fold(true);
  });

  // Arrow keys walk the grid.
  table.addEventListener("keydown", (event) => {
    const button = event.target.closest("button.cell");
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!button || !step) return;
    event.preventDefault();
    const shown = [...table.querySelectorAll("tr.row")].filter((row) => !row.hidden && !row.parentNode.hidden);
    const row = shown.indexOf(button.closest("tr"));
    const cells = (r) => (r ? [...r.querySelectorAll("td:not([hidden]) button.cell")] : []);
    const place = cells(shown[row]).indexOf(button);
    const target = cells(shown[row + step[0]])[place + step[1]];
    if (target) target.focus();
  });

  // Filters ---------------------------------------------------------------------------------------------------------

  // A tile counts attempts that must not succeed, where the adapter took part; what it opens is these.
  let onlyCounted = false;
  const reset = () => {
    form.reset();
    onlyCounted = false;
  };

  const picked = (name) => {
    const words = [...form.querySelectorAll(`input[name="${name}"]:checked`)].map((input) => input.value);
    return (word) => !words.length || words.includes(word);
  };

  const rows = [...table.querySelectorAll("tr.row")].map((row) => ({
    row,
    body: row.parentNode,
    text: row.querySelector("th").textContent.toLowerCase(),
    cells: [...row.querySelectorAll("td")].map((td) => {
      const button = td.firstElementChild;
      const number = Number(button.id.slice(1));
      return { td, button, host: td.dataset.host, cell: data.cells[number], counted: data.counted[number] };
    }),
  }));

  function filter() {
    const boundary = picked("boundary"), severity = picked("severity");
    const observed = picked("observed"), honesty = picked("honesty"), host = picked("host");
    const wanted = find.value.trim().toLowerCase();
    let attempts = 0, cells = 0, all = 0;
    fold(false);
    for (const { row, body, text, cells: parts } of rows) {
      const fits = boundary(body.dataset.boundary) && severity(row.dataset.severity) && text.includes(wanted);
      let hits = 0;
      for (const { td, button, host: where, cell, counted } of parts) {
        const hit = (!onlyCounted || counted) && fits && host(where) && observed(cell.observed) && honesty(cell.honesty);
        td.hidden = !host(where);
        button.classList.toggle("dim", !hit);
        if (hit) hits += 1;
      }
      row.hidden = !hits;
      if (hits) attempts += 1;
      cells += hits;
      all += parts.length;
    }
    for (const body of table.tBodies) body.hidden = ![...body.querySelectorAll("tr.row")].some((row) => !row.hidden);
    let span = 0;
    const heads = [...table.querySelectorAll("thead .host")];
    for (const head of heads) head.hidden = !host(head.dataset.host);
    const groups = table.querySelectorAll("thead .adapter");
    span = heads.filter((head) => !head.hidden).length / Math.max(groups.length, 1);
    for (const group of groups) group.colSpan = span;
    document.getElementById("shown").textContent =
      `${attempts} of ${rows.length} attempts, ${cells} of ${all} cells${onlyCounted ? "; without ordinary work and absent hosts" : ""}`;
  }

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("everything").addEventListener("click", () => {
    reset();
    filter();
  });
  for (const tile of document.querySelectorAll("[data-only]")) {
    tile.addEventListener("click", () => {
      reset();
      onlyCounted = true;
      const box = form.querySelector(`input[name="honesty"][value="${tile.dataset.only}"]`);
      if (box) box.checked = true;
      filter();
      document.getElementById("grid").scrollIntoView();
    });
  }

  // Theme -----------------------------------------------------------------------------------------------------------

  const root = document.documentElement;
  root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });

  filter();
  if (location.hash) reveal(location.hash.slice(1));
})();
