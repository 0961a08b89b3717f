// MARK: A table of an entity
//
// All models of an entity that exist at the selected point. Only the visible rows have elements.

let shownEntity = -1;
let tableRows = { key: '', models: [] };
const tableRowHeight = 30, maximumTableRows = 400000;
const tableNodes = { summary: null, body: null, above: null, below: null, note: null, select: null };

const existing = () => {
  const key = shownEntity + ' ' + selected + ' ' + kinds.length;
  if (tableRows.key !== key) {
    tableRows = { key, models: modelsOf(shownEntity).filter((model) => existsAt(model, selected) !== false) };
  }
  return tableRows.models;
};
const spacerRow = (columns) => {
  const row = element('tr', 'space'), cell = element('td');
  cell.colSpan = columns;
  row.setAttribute('aria-hidden', 'true');
  row.append(cell);
  return row;
};
const makeTable = () => {
  const { name, attributes } = entities[shownEntity];
  const bar = element('div', 'bar'), label = element('label', '', 'Entity '), select = element('select');
  const listed = entities.map((_, index) => index).sort((a, b) => entities[a].name.localeCompare(entities[b].name));
  for (const index of listed) {
    const option = element('option', '', visible(entities[index].name));
    option.value = index;
    select.append(option);
  }
  select.id = 'tableEntity';
  select.value = shownEntity;
  select.addEventListener('change', () => {
    shownEntity = +select.value;
    openPanel('table');
    $('tableEntity').focus();
  });
  label.append(select);
  tableNodes.summary = element('span', 'secondary');
  tableNodes.note = element('p', 'secondary note');
  bar.append(label, tableNodes.summary);
  if (data.skips) return [bar, element('p', 'secondary', skipsNote)];
  const table = element('table', 'models'), head = element('thead'), row = element('tr');
  for (const title of [name, ...attributes]) {
    const cell = element('th', '', visible(title));
    cell.scope = 'col';
    row.append(cell);
  }
  head.append(row);
  tableNodes.body = element('tbody');
  tableNodes.above = spacerRow(attributes.length + 1);
  tableNodes.below = spacerRow(attributes.length + 1);
  table.append(head, tableNodes.body);
  table.style.minWidth = 110 + 130 * attributes.length + 'px';
  return [bar, tableNodes.note, table];
};
const tableRow = (model, position) => {
  const row = element('tr'), head = element('th'), { attributes } = entities[entityOfModel[model]];
  const changes = changedIn(model, selected), note = { hidden: true };
  if (changes.kind >= 0) head.append(sign(changes.kind));
  head.append(modelLink(modelName(model)));
  head.scope = 'row';
  row.setAttribute('aria-rowindex', position + 2);
  row.append(head, ...attributes.map((_, attribute) => {
    const cell = element('td');
    cell.append(...stateNodes(model, attribute, selected, changes, note));
    if (cell.textContent.length > 16) cell.title = cell.textContent;
    return cell;
  }));
  return row;
};
let rowRange = '';
const renderTable = (isNew) => {
  if (data.skips || !tableNodes.body) return;
  const models = existing(), count = Math.min(models.length, maximumTableRows), box = $('details');
  const top = Math.max(0, box.scrollTop - tableNodes.body.parentNode.offsetTop);
  const start = Math.max(0, Math.min(count, Math.floor(top / tableRowHeight) - 5));
  const last = Math.min(count, start + Math.ceil(box.clientHeight / tableRowHeight) + 11);
  const range = tableRows.key + ' ' + start + ' ' + last;
  if (!isNew && range === rowRange) return;
  rowRange = range;
  const hadFocus = tableNodes.body.contains(document.activeElement);
  tableNodes.above.firstChild.style.height = start * tableRowHeight + 'px';
  tableNodes.below.firstChild.style.height = (count - last) * tableRowHeight + 'px';
  tableNodes.above.hidden = start === 0;
  tableNodes.below.hidden = last === count;
  tableNodes.body.replaceChildren(
    tableNodes.above, ...models.slice(start, last).map((model, index) => tableRow(model, start + index)), tableNodes.below);
  tableNodes.body.parentNode.setAttribute('aria-rowcount', count + 1);
  if (hadFocus) box.focus();
};
const showTable = (keepsPlace) => {
  const isShown = keepsPlace && tableNodes.summary && tableNodes.summary.isConnected;
  const isCurrent = isShown && $('tableEntity').options.length === entities.length
    && (data.skips || tableNodes.above.firstChild.colSpan === entities[shownEntity].attributes.length + 1);
  if (!isCurrent) showDetails(makeTable(), keepsPlace);
  if (data.skips) return;
  const models = existing();
  tableNodes.summary.textContent = countText(models.length, 'model') + ' after #' + ids[selected];
  tableNodes.note.textContent = (models.length > maximumTableRows
    ? 'The first ' + maximumTableRows.toLocaleString('en') + ' models. ' : '')
    + 'Models without a change in this page are not listed. A value that the page does not contain is shown as ?.';
  renderTable(true);
};
$('details').addEventListener('scroll', () => { if (panel === 'table' && selected >= 0) renderTable(false); }, { passive: true });
