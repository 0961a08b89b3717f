// MARK: Lanes

const canvas = $('canvas');
const laneHeight = 26, axisHeight = 22, tagHeight = 22;
const laneFont = '12px system-ui, sans-serif';
// The names of the lanes are at the left of the plot.
let plot = { left: 0, width: 1 };
const timeAt = (x) => view.start + (x - plot.left) / plot.width * view.span;
const placeOf = (time) => plot.left + (time - view.start) / view.span * plot.width;
// A text that is not wider than a width.
const fitted = (context, text, width) => {
  if (context.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + '…').width <= width) low = middle; else high = middle - 1;
  }
  return text.slice(0, low) + '…';
};
// At least 3 : 1 with the backgrounds of both themes.
const colors = ['#3b82f6', '#c76a06', '#0c8f6a', '#d0519c', '#8062f0', '#bf5c38', '#548f14', '#0a8aa8'];
let byAuthor = false;
let view = { start: 0, span: 1 };

const extent = () => {
  let low = Infinity, high = -Infinity;
  for (const time of times) {
    if (time < low) low = time;
    if (time > high) high = time;
  }
  if (!times.length) low = high = Date.now();
  const margin = Math.max((high - low) * 0.02, 500);
  return { start: low - margin, span: high - low + 2 * margin };
};
let whole = { start: 0, span: 1 };  // The time of all transactions.
// Shows some time, of which a part contains transactions.
const show = (start, span) => {
  span = Math.max(1000, Math.min(whole.span * 1.2, span));
  start = Math.max(whole.start - span * 0.9, Math.min(whole.start + whole.span - span * 0.1, start));
  view = { start, span };
  drawSoon();
};
const fit = () => {
  whole = extent();
  view = whole;
  drawSoon();
};
const zoom = (factor, fraction) => {
  const span = Math.max(1000, Math.min(whole.span * 1.2, view.span * factor));
  show(view.start + (view.span - span) * fraction, span);
};
const pan = (fraction) => { show(view.start + view.span * fraction, view.span); };

// The entities or authors with the most changes have a lane each, and the others share one.
const maximumLanes = 40;
let lanes = { names: [], laneOf: new Map() };
const updateLanes = () => {
  const counts = new Map();
  for (const number of byAuthor ? authorOf : entityOf) counts.set(number, (counts.get(number) || 0) + 1);
  const nameOf = (number) => (byAuthor ? authorName(number) : entities[number].name);
  let numbers = [...counts.keys()].sort((a, b) => (a < 0) - (b < 0) || (a < 0 ? b - a : a - b));
  if (numbers.length > maximumLanes) {
    const most = new Set([...numbers].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, maximumLanes - 1));
    numbers = numbers.filter((number) => most.has(number));
  }
  lanes = { names: numbers.map(nameOf), laneOf: new Map(numbers.map((number, lane) => [number, lane])) };
  const others = counts.size - numbers.length;
  if (others) {
    for (const number of counts.keys()) if (!lanes.laneOf.has(number)) lanes.laneOf.set(number, numbers.length);
    lanes.names.push(others.toLocaleString('en') + ' others');
  }
};

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour, month = 30.4 * day;
const steps = [
  ...[1, 5, 15, 30].map((count) => ['second', count, count * second]),
  ...[1, 5, 15, 30].map((count) => ['minute', count, count * minute]),
  ...[1, 3, 6, 12].map((count) => ['hour', count, count * hour]),
  ...[1, 2, 7].map((count) => ['day', count, count * day]),
  ...[1, 3, 6, 12, 24, 60, 120, 600, 1200, 12000].map((count) => ['month', count, count * month]),
];
// The times of the axis with their texts. Larger units begin at midnight or on the first of a month, also where clocks
// change.
const ticks = (width) => {
  const smallest = view.span / Math.max(1, Math.floor(width / 110));
  const [unit, count] = steps.find((step) => step[2] >= smallest) || steps[steps.length - 1];
  const begin = new Date(view.start), stop = view.start + view.span;
  const makeDate = (...parts) => {
    const date = new Date(0);
    date.setHours(0, 0, 0, 0);
    date.setFullYear(parts[0], parts[1], parts[2]);  // `new Date` takes the years 0 to 99 for those of the last century.
    date.setHours(parts[3] || 0, 0, 0, 0);
    return date.getTime();
  };
  const year = begin.getFullYear(), firstDay = begin.getDate() - 1;
  const make = {
    second: (index) => Math.floor(view.start / minute) * minute + index * second,
    minute: (index) => Math.floor(view.start / hour) * hour + index * minute,
    hour: (index) => makeDate(year, begin.getMonth(), begin.getDate(), index),
    day: (index) => makeDate(year, begin.getMonth(), 1 + index),
    month: (index) => makeDate(0, index, 1),
  }[unit];
  const text = {
    second: (time) => timeText(time).slice(-8),
    minute: (time) => timeText(time).slice(-14, -3),
    hour: (time) => timeText(time).slice(-14, -3),
    day: (time) => timeText(time).slice(0, -9),
    month: (time) => timeText(time).slice(0, count % 12 ? -12 : -15),
  }[unit];
  const found = [];
  let index = unit === 'month' ? Math.floor((year * 12 + begin.getMonth()) / count) * count
    : unit === 'day' ? Math.floor(firstDay / count) * count : 0;
  for (let guard = 0; guard < 4000; guard++, index += count) {
    const time = make(index);
    if (!(time < stop)) break;
    if (time >= view.start) found.push([time, text(time)]);
  }
  return found;
};

let isDrawing = false;
const drawSoon = () => {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    draw();
  });
};
// One bin for two pixels, so that what is drawn does not depend on the number of transactions.
const binned = (bins) => {
  const counts = lanes.names.map(() => new Float64Array(bins));
  const unit = bins / view.span;
  for (const transaction of filtered) {
    const bin = Math.floor((times[transaction] - view.start) * unit);
    if (!(bin >= 0 && bin < bins)) continue;
    if (byAuthor) {
      counts[lanes.laneOf.get(authorOf[transaction])][bin] += 1;
    } else {
      for (let change = first[transaction], last = end(transaction); change < last; change++) {
        if (changeMatches(change, transaction)) counts[lanes.laneOf.get(entityOf[change])][bin] += 1;
      }
    }
  }
  return counts;
};
// The tags are buttons above the axis. Those without room are lines only; the list names them, too.
const maximumTags = 200;
const drawTags = (context) => {
  const box = $('tags'), nodes = [], focused = document.activeElement.dataset.tag;
  box.hidden = !tags.length;
  let free = plot.left;
  const right = plot.left + plot.width;
  for (const { name, transaction } of tags) {
    const x = placeOf(times[transaction]);
    if (x < plot.left || x > right || nodes.length === maximumTags) continue;
    const text = fitted(context, visible(name), 140), size = context.measureText(text).width + 14;
    const isFlipped = x + size > right;
    const left = isFlipped ? x - size : x;
    if (left < free) continue;
    free = left + size + 4;
    const node = button(isFlipped ? 'tag flipped' : 'tag', text, () => { goTo(transaction); });
    node.dataset.tag = name;
    node.style.left = left + 'px';
    node.style.width = size + 'px';
    node.title = 'Tag ' + visible(name);
    nodes.push(node);
  }
  // Drawing again must not take the focus away.
  const same = nodes.length === box.children.length && nodes.every((node, index) => {
    const old = box.children[index];
    return old.dataset.tag === node.dataset.tag && old.textContent === node.textContent;
  });
  if (same) {
    nodes.forEach((node, index) => {
      const old = box.children[index];
      [old.style.left, old.style.width, old.className] = [node.style.left, node.style.width, node.className];
    });
    return;
  }
  box.replaceChildren(...nodes);
  if (focused !== undefined) {
    const node = nodes.find((node) => node.dataset.tag === focused);
    if (node) node.focus(); else canvas.focus();
  }
};
const draw = () => {
  const { names } = lanes;
  const width = $('lanes').clientWidth, height = names.length * laneHeight + axisHeight;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + 'px';
  }
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name);
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = laneFont;
  context.textBaseline = 'middle';
  const labels = names.map((name) => fitted(context, visible(name), Math.max(60, Math.min(170, width * 0.28))));
  const left = 12 + Math.ceil(labels.reduce((widest, label) => Math.max(widest, context.measureText(label).width), 40)) + 10;
  plot = { left, width: Math.max(1, width - left - 8) };
  let free = 0;  // Where the next text of the axis may begin.
  for (const [time, text] of ticks(plot.width)) {
    const x = placeOf(time), size = context.measureText(text).width;
    context.fillStyle = color('--line');
    context.fillRect(Math.round(x), axisHeight - 6, 1, height - axisHeight + 6);
    if (x + 4 < free || x + 4 + size > width) continue;
    context.fillStyle = color('--secondary');
    context.fillText(text, x + 4, axisHeight / 2);
    free = x + size + 14;
  }
  const bins = Math.max(1, Math.ceil(plot.width / 3)), counts = binned(bins), bin = plot.width / bins;
  names.forEach((name, lane) => {
    const top = axisHeight + lane * laneHeight;
    context.fillStyle = color('--line');
    context.fillRect(0, top, width, 1);
    const greatest = Math.log1p(counts[lane].reduce((a, b) => Math.max(a, b), 1));
    context.fillStyle = colors[lane % colors.length];
    counts[lane].forEach((count, index) => {
      if (!count) return;
      const size = 5 + (laneHeight - 11) * Math.log1p(count) / greatest;
      context.fillRect(plot.left + index * bin, top + laneHeight - 2 - size, Math.max(2, bin - 0.5), size);
    });
    context.fillRect(0, top + 7, 3, laneHeight - 13);
    context.fillStyle = color('--text');
    context.fillText(labels[lane], 12, top + laneHeight / 2 + 1);
  });
  context.fillStyle = color('--tag');
  for (const { transaction } of tags) {
    const x = placeOf(times[transaction]);
    if (x >= plot.left && x <= plot.left + plot.width) context.fillRect(Math.round(x) - 1, 0, 1, height);
  }
  if (selected >= 0 && placeOf(times[selected]) >= plot.left) {
    const x = Math.round(placeOf(times[selected]));
    context.fillStyle = color('--accent');
    context.fillRect(x - 1, 4, 2, height - 4);
    context.beginPath();
    context.moveTo(x - 5, 0);
    context.lineTo(x + 5, 0);
    context.lineTo(x, 7);
    context.fill();
  }
  drawTags(context);
  canvas.setAttribute('aria-label',
    (byAuthor ? 'Transactions by author' : 'Changes by entity') + ' from ' + timeText(view.start) + ' to '
    + timeText(view.start + view.span) + ': ' + names.map((name, lane) =>
      visible(name) + ' ' + counts[lane].reduce((a, b) => a + b, 0)).join(', ')
    + (tags.length ? '; ' + countText(tags.length, 'tag') : ''));
};

// MARK: Gestures

canvas.addEventListener('wheel', (event) => {
  if (event.ctrlKey || Math.abs(event.deltaX) <= Math.abs(event.deltaY)) {
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))), (event.offsetX - plot.left) / plot.width);
  } else {
    pan(event.deltaX / plot.width);
  }
  event.preventDefault();
}, { passive: false });
let drag = null;
const pointers = new Map();
canvas.addEventListener('pointerdown', (event) => {
  pointers.set(event.pointerId, event.offsetX);
  canvas.setPointerCapture(event.pointerId);
  drag = { x: event.offsetX, start: view.start, moved: false };
});
canvas.addEventListener('pointermove', (event) => {
  if (!pointers.has(event.pointerId)) return;
  if (pointers.size === 2) {
    const before = [...pointers.values()], distance = Math.abs(before[0] - before[1]);
    pointers.set(event.pointerId, event.offsetX);
    const after = [...pointers.values()];
    if (distance > 5) {
      zoom(distance / Math.max(5, Math.abs(after[0] - after[1])), ((after[0] + after[1]) / 2 - plot.left) / plot.width);
    }
    drag = null;
    return;
  }
  pointers.set(event.pointerId, event.offsetX);
  if (!drag) return;
  const distance = event.offsetX - drag.x;
  if (Math.abs(distance) > 3) drag.moved = true;
  if (drag.moved) show(drag.start - distance / plot.width * view.span, view.span);
});
const release = (event) => {
  const isClick = drag && !drag.moved && event.type === 'pointerup' && pointers.size === 1;
  pointers.delete(event.pointerId);
  drag = null;
  if (isClick) selectAt(timeAt(event.offsetX));
};
canvas.addEventListener('pointerup', release);
canvas.addEventListener('pointercancel', release);
canvas.addEventListener('dblclick', fit);
// Selects the transaction whose time is nearest.
const selectAt = (time) => {
  let best = -1;
  for (const transaction of filtered) {
    if (best < 0 || Math.abs(times[transaction] - time) < Math.abs(times[best] - time)) best = transaction;
  }
  if (best >= 0) select(best);
};
