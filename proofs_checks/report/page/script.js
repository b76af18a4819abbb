"use strict";
(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const cards = all(".card");
  const filters = document.querySelector(".filters");
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const chosen = { finding: new Set(), rank: new Set() };
  filters.hidden = false;

  const wanted = (card, text) =>
    (!chosen.finding.size || chosen.finding.has(card.dataset.finding)) &&
    (!chosen.rank.size || chosen.rank.has(card.dataset.rank)) &&
    (!text || card.textContent.toLowerCase().includes(text));

  const apply = () => {
    const text = search.value.trim().toLowerCase();
    let shown = 0;
    for (const card of cards) {
      card.hidden = !wanted(card, text);
      if (!card.hidden) shown += 1;
    }
    for (const section of all(".paper")) section.hidden = all(".card", section).every((card) => card.hidden);
    for (const button of all(".filters [data-kind]"))
      button.setAttribute("aria-pressed", chosen[button.dataset.kind].has(button.dataset.value));
    count.textContent = shown === cards.length ? `${shown} statements` : `${shown} of ${cards.length} statements`;
  };

  const toggle = (kind, value) => {
    if (!chosen[kind].delete(value)) chosen[kind].add(value);
    apply();
  };
  for (const button of all(".filters [data-kind]"))
    button.addEventListener("click", () => toggle(button.dataset.kind, button.dataset.value));
  for (const part of all(".bar [data-filter]"))
    part.addEventListener("click", () => {
      chosen.finding = new Set([part.dataset.filter]);
      apply();
      filters.scrollIntoView();
    });
  search.addEventListener("input", apply);
  const openAll = (open) => cards.forEach((card) => { if (!card.hidden) card.open = open; });
  document.getElementById("open-all").addEventListener("click", () => openAll(true));
  document.getElementById("close-all").addEventListener("click", () => openAll(false));

  const fit = document.getElementById("fit");
  if (fit) {
    fit.hidden = false;
    fit.addEventListener("click", () =>
      fit.setAttribute("aria-pressed", document.querySelector(".graph").classList.toggle("whole")));
  }

  // A link to a card opens it, even if a filter hides it.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const card = target && target.closest(".card");  // the target is the card, or the paper's label on it
    if (!card) return;
    if (card.hidden) {
      chosen.finding.clear();
      chosen.rank.clear();
      search.value = "";
      apply();
    }
    card.open = true;
    card.querySelector("summary").focus({ preventScroll: true });
    card.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#s-']");
    if (link && link.getAttribute("href") === location.hash) reveal();
  });
  reveal();

  for (const node of all(".graph .node")) {
    const id = node.getAttribute("href").slice(1);
    const near = all(`.edge[data-from="${id}"], .edge[data-to="${id}"]`);
    for (const [event, on] of [["mouseenter", true], ["focus", true], ["mouseleave", false], ["blur", false]])
      node.addEventListener(event, () => near.forEach((edge) => edge.classList.toggle("near", on)));
  }

  // Paper has no cards to open: print everything that is shown, then go back.
  let before = [];
  addEventListener("beforeprint", () => {
    before = cards.map((card) => card.open);
    openAll(true);
  });
  addEventListener("afterprint", () => cards.forEach((card, i) => { card.open = before[i]; }));
})();
