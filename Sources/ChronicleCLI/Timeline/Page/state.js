// MARK: State
//
// The history contains changes, not states. The value of an attribute at a point is the one after the last change before
// it, or the one before the first change after it. Where the page contains neither, the value is not known.

// The changes of a model, and for each attribute the changes that list it, with the index in their lists. Made when it is
// first needed, and extended when there are later changes.
const histories = new Map();
let historySize = 0;
const maximumHistorySize = 1e6;
const historyOf = (model) => {
  let history = histories.get(model);
  if (history && history.last === lastOf[model]) return history;
  if (!history) {
    if (historySize > maximumHistorySize) {
      histories.clear();
      historySize = 0;
    }
    // Of an update without any attribute, it is not known what it changed.
    history = { last: -1, changes: [], inserts: [], deletes: [], unclear: [], uses: new Map() };
    histories.set(model, history);
  }
  const added = [];
  for (let change = lastOf[model]; change !== history.last; change = previousOf[change]) added.push(change);
  for (const change of added.reverse()) {
    history.changes.push(change);
    if (kinds[change] === 0) history.inserts.push(change);
    if (kinds[change] === 2) history.deletes.push(change);
    const list = valuesOf[change] || [];
    if (kinds[change] === 1 && !list.length) history.unclear.push(change);
    for (let item = 0; item < list.length; item += 3) {
      let uses = history.uses.get(list[item]);
      if (!uses) history.uses.set(list[item], (uses = { changes: [], items: [] }));
      uses.changes.push(change);
      uses.items.push(item);
    }
  }
  historySize += added.length;
  history.last = lastOf[model];
  return history;
};
// The number of elements of an ascending array that are less than a number.
const countBelow = (numbers, number) => {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < number) low = middle + 1; else high = middle;
  }
  return low;
};
// Whether the page lacks changes of a transaction in a range.
const lacksChanges = (start, last) => {
  for (const transaction of partial) if (transaction >= start && transaction <= last) return true;
  return false;
};
const isMissing = (value) => value !== null && typeof value === 'object' && 'missing' in value;

// Whether a model exists after a transaction; `undefined` if that is not known.
const existsAt = (model, transaction) => {
  const bound = end(transaction);
  let next = -1, change = lastOf[model];
  for (; change >= bound; change = previousOf[change]) next = change;
  if (partial.size) {
    const start = change >= 0 ? transactionOf(change) : 0;
    if (lacksChanges(start, transaction)) return undefined;
    if (change < 0 && lacksChanges(transaction + 1, transactionOf(next) - 1)) return undefined;
  }
  return change >= 0 ? kinds[change] !== 2 : kinds[next] !== 0;
};
// The changes between which the values of a model at a point are: its insert, and its delete or next insert. -1 and Infinity
// if the page does not contain them.
const lifeAt = (history, bound) => {
  const inserts = countBelow(history.inserts, bound), deletes = countBelow(history.deletes, bound);
  const start = inserts ? history.inserts[inserts - 1] : -1;
  const next = inserts < history.inserts.length ? history.inserts[inserts] : Infinity;
  return { start, end: Math.min(next - 0.5, deletes < history.deletes.length ? history.deletes[deletes] : Infinity) };
};
const hasBetween = (numbers, low, high) => {
  const index = countBelow(numbers, low + 1);
  return index < numbers.length && numbers[index] < high;
};
// The value of an attribute of a model after a transaction, or `undefined` if it is not known.
const valueAt = (model, attribute, transaction) => {
  const history = historyOf(model), bound = end(transaction), uses = history.uses.get(attribute);
  if (!uses) return undefined;
  const life = lifeAt(history, bound), index = countBelow(uses.changes, bound);
  const before = index > 0 && uses.changes[index - 1] >= life.start ? uses.changes[index - 1] : -1;
  const after = index < uses.changes.length && uses.changes[index] <= life.end ? uses.changes[index] : -1;
  let known, next;
  if (before >= 0 && !hasBetween(history.unclear, before, bound)
      && !(partial.size && lacksChanges(transactionOf(before), transaction))) {
    known = valuesOf[before][uses.items[index - 1] + 2];
    if (isMissing(known)) known = undefined;
  }
  if (after >= 0 && !hasBetween(history.unclear, bound - 1, after)
      && !(partial.size && lacksChanges(transaction + 1, transactionOf(after) - 1))) {
    next = valuesOf[after][uses.items[index] + 1];
    if (isMissing(next)) next = undefined;
  }
  if (known === undefined) return next;
  // The history lacks a change between both, for example a deleted one.
  if (next !== undefined && before < first[transaction] && JSON.stringify(known) !== JSON.stringify(next)) return undefined;
  return known;
};
// The names of the models in a list of links after a transaction, and whether these are all.
const linksAt = (model, attribute, transaction) => {
  const history = historyOf(model), bound = end(transaction), uses = history.uses.get(attribute) || { changes: [], items: [] };
  const life = lifeAt(history, bound), names = new Set(), later = new Set();
  let isComplete = life.start >= 0 && Boolean(valuesOf[life.start]) && !hasBetween(history.unclear, life.start, bound)
    && !(partial.size && lacksChanges(transactionOf(life.start), transaction));
  uses.changes.forEach((change, index) => {
    if (change < life.start || change > life.end) return;
    const list = valuesOf[change], old = list[uses.items[index] + 1], now = list[uses.items[index] + 2];
    if (change >= bound) {
      // What is removed first was there before.
      const removed = referenceOf(old), added = referenceOf(now);
      if (removed !== undefined && !later.has(removed)) names.add(removed);
      for (const name of [removed, added]) if (name !== undefined) later.add(name);
      return;
    }
    if (isMissing(old) || isMissing(now)) isComplete = false;
    names.delete(referenceOf(old));
    if (referenceOf(now) !== undefined) names.add(referenceOf(now));
  });
  return { names: [...names], isComplete };
};
// The text of the attribute that is the title of a model, after a transaction or before its delete.
const titleAt = (model, transaction) => {
  const attribute = entities[entityOfModel[model]].title;
  if (attribute < 0) return '';
  const uses = historyOf(model).uses.get(attribute);
  if (!uses) return '';
  const index = countBelow(uses.changes, end(transaction));
  const at = (use, offset) => {
    const value = use >= 0 && use < uses.changes.length ? valuesOf[uses.changes[use]][uses.items[use] + offset] : null;
    return value === null || isMissing(value) ? undefined : value;
  };
  const isDeleted = index > 0 && kinds[uses.changes[index - 1]] === 2;
  let value = at(index - 1, isDeleted ? 1 : 2);
  if (value === undefined && (index === 0 || isMissing(valuesOf[uses.changes[index - 1]][uses.items[index - 1] + 2]))) {
    value = at(index, 1);
  }
  return value === undefined ? '' : shortText(value, 60);
};
// A value in one line.
const shortText = (value, length) => {
  const text = valueText(value && typeof value === 'object' && 'text' in value ? value.text : value).replaceAll('\n', ' ');
  return text.length > length ? [...text.slice(0, length)].slice(0, -1).join('') + '…' : text;
};
const titledName = (model, transaction) => {
  const title = titleAt(model, transaction);
  return visible(modelName(model)) + (title ? ' · ' + title : '');
};
// The models of an entity in the order of their keys.
const modelsOf = (entity) => {
  const known = entities[entity];
  if (known.sorted && known.sorted.length === known.models.size) return known.sorted;
  const isNumber = /^\d{1,15}$/;
  const number = new Map();
  for (const [key, model] of known.models) number.set(model, isNumber.test(key) ? +key : Infinity);
  known.sorted = [...known.models.values()].sort((a, b) => {
    const x = number.get(a), y = number.get(b);
    if (x !== y) return x - y;
    return keyOf[a] < keyOf[b] ? -1 : keyOf[a] > keyOf[b] ? 1 : 0;
  });
  return known.sorted;
};

// MARK: Tags

let tags = [];  // Names with the transactions at which they are, in ascending order.
const tagsOf = new Map();  // The names of the tags of a transaction.
const setTags = (list) => {
  tags = [];
  tagsOf.clear();
  for (const { name, id } of list) {
    const transaction = countBelow(ids, id + 1) - 1;
    if (transaction < 0) continue;
    tags.push({ name, transaction });
    tagsOf.set(transaction, [...(tagsOf.get(transaction) || []), name]);
  }
  tags.sort((a, b) => a.transaction - b.transaction);
};
