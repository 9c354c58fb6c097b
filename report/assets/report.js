// The page is complete without this: it sorts tables, opens and closes them,
// changes the colours and shows the titles of marks at once.
(function () {
  'use strict';
  var root = document.documentElement;
  document.querySelector('.tools').hidden = false;

  var themes = [['', 'as the system'], ['light', 'light'], ['dark', 'dark']], theme = 0;
  document.getElementById('theme').addEventListener('click', function () {
    theme = (theme + 1) % themes.length;
    if (themes[theme][0]) root.dataset.theme = themes[theme][0]; else delete root.dataset.theme;
    this.querySelector('span').textContent = themes[theme][1];
  });
  document.getElementById('print').addEventListener('click', function () { window.print(); });
  document.getElementById('tables').addEventListener('click', function () {
    var open = this.getAttribute('aria-expanded') !== 'true';
    document.querySelectorAll('details').forEach(function (d) { d.open = open; });
    this.setAttribute('aria-expanded', open);
    this.textContent = open ? 'Close all tables' : 'Open all tables';
  });

  // What a cell is sorted by: its number if it has one, else its text.
  function key(cell) {
    var number = cell.querySelector('data[value]');
    return number ? parseFloat(number.value) : cell.textContent.trim().toLowerCase();
  }
  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === 'number' ? -1 : 1;
  }
  document.querySelectorAll('table.sortable').forEach(function (table) {
    table.querySelectorAll('thead th').forEach(function (head, column) {
      var button = document.createElement('button');
      button.type = 'button';
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      head.setAttribute('aria-sort', 'none');
      button.addEventListener('click', function () {
        var up = head.getAttribute('aria-sort') !== 'ascending';
        table.querySelectorAll('thead th').forEach(function (h) { h.setAttribute('aria-sort', 'none'); });
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        var body = table.tBodies[0];
        Array.from(body.rows).map(function (row, i) { return {row: row, at: i, key: key(row.cells[column])}; })
          .sort(function (a, b) { return (up ? 1 : -1) * compare(a.key, b.key) || a.at - b.at; })
          .forEach(function (x) { body.appendChild(x.row); });
      });
    });
  });

  // Titles of marks, without the delay of the browser's own.
  var tip = document.getElementById('tip'), held = null;
  function release() {
    if (held) { held.node.appendChild(held.title); held = null; }
    tip.hidden = true;
  }
  document.addEventListener('pointermove', function (e) {
    var node = e.target.closest && e.target.closest('.chart g, .chart circle, .chart rect, .chart path');
    while (node && !(held && held.node === node) && !node.querySelector(':scope > title')) node = node.parentElement && node.parentElement.closest('.chart g');
    if (!node) return release();
    if (!held || held.node !== node) {
      release();
      var title = node.querySelector(':scope > title');
      held = {node: node, title: title};
      node.removeChild(title); // or the browser shows it as well
      tip.textContent = title.textContent;
      tip.hidden = false;
    }
    tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 6)) + 'px';
    tip.style.top = Math.max(4, Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 6)) + 'px';
  });
  document.addEventListener('pointerleave', release);
  document.addEventListener('scroll', release, {passive: true});

  // Which section is being read.
  if ('IntersectionObserver' in window) {
    var links = {};
    document.querySelectorAll('.contents a').forEach(function (a) { links[a.getAttribute('href').slice(1)] = a; });
    var observer = new IntersectionObserver(function (seen) {
      seen.forEach(function (s) {
        if (!s.isIntersecting) return;
        Object.keys(links).forEach(function (id) { links[id].removeAttribute('aria-current'); });
        var link = links[s.target.getAttribute('aria-labelledby')];
        if (link) link.setAttribute('aria-current', 'true');
      });
    }, {rootMargin: '-20% 0px -70% 0px'});
    document.querySelectorAll('main section').forEach(function (s) { observer.observe(s); });
  }
})();
