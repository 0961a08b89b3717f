// MARK: Parts
//
// The parts of a model are the models that paths of its relationships reached. A change of a part is listed if a path reached
// the part directly before or after its transaction.

// The chosen paths for each entity. A set is not changed, but replaced.
const pathsOf = new Map();
const noPaths = new Set();
const chosenPaths = (model) => pathsOf.get(entityOfModel[model]) || noPaths;

// The models whose attribute has referenced a model, by the name of that model. Made when it is first needed, and extended.
const referrers = new Map();
const referrersOf = (entity, name) => {
  const key = entity + ' ' + name, attribute = entities[entity].attributes.indexOf(name);
  if (!referrers.has(key)) referrers.set(key, { size: 0, models: new Map() });
  const known = referrers.get(key);
  for (; known.size < kinds.length; known.size++) {
    const list = entityOf[known.size] === entity && valuesOf[known.size] || [];
    for (let item = 0; item < list.length; item += 3) {
      if (list[item] !== attribute) continue;
      for (const target of [referenceOf(list[item + 1]), referenceOf(list[item + 2])]) {
        if (target === undefined) continue;
        if (!known.models.has(target)) known.models.set(target, new Set());
        known.models.get(target).add(modelOf[known.size]);
      }
    }
  }
  return known.models;
};

const referencedBy = (value) => {
  const name = referenceOf(value);
  return name === undefined ? -1 : modelNamed(name);
};
// Spans are from the first transaction after which something was the case to the last one; -1 is the beginning of the page.
// When an attribute of a model referenced others: their numbers and the spans.
const referenceSpans = (model, attribute) => {
  const spans = [], points = [...new Set(historyOf(model).changes.map(transactionOf))];
  [-1, ...points].forEach((from, index) => {
    const to = index < points.length ? points[index] - 1 : Infinity;
    if (to < from || existsAt(model, from) === false) return;
    const target = referencedBy(valueAt(model, attribute, from)), last = spans.at(-1);
    if (last && last.model === target && last.to === from - 1) last.to = to;
    else if (target >= 0) spans.push({ model: target, from, to });
  });
  return spans;
};
// When a list of links of a model contained others: their numbers and the spans.
const linkSpans = (model, attribute) => {
  const spans = [], open = new Map();
  const close = (target, to) => {
    const from = open.has(target) ? open.get(target) : -1;
    if (from <= to) spans.push({ model: target, from, to });
    open.delete(target);
  };
  for (const change of historyOf(model).changes) {
    const transaction = transactionOf(change), list = valuesOf[change] || [];
    for (let item = 0; item < list.length; item += 3) {
      if (list[item] !== attribute) continue;
      const removed = referencedBy(list[item + 1]), added = referencedBy(list[item + 2]);
      if (removed >= 0) close(removed, transaction - 1);
      if (added >= 0 && !open.has(added)) open.set(added, transaction);
    }
    // The other side of the links records their end.
    if (kinds[change] === 2) for (const target of [...open.keys()]) close(target, transaction - 1);
  }
  for (const target of [...open.keys()]) close(target, Infinity);
  return spans;
};
// When a relationship of a model reached others: their numbers and the spans.
const reachedSpans = (model, { name, kinds: destinations, inverse, isOwn }) => {
  const entity = entities[entityOfModel[model]];
  if (isOwn) {
    const attribute = entity.attributes.indexOf(name);
    return (entity.links.has(attribute) ? linkSpans : referenceSpans)(model, attribute);
  }
  const names = [entity.name, ...entity.kindOf].map((kind) => kind + '/' + keyOf[model]);
  return numbersOf(destinations).flatMap((number) => {
    const known = referrersOf(number, inverse), attribute = entities[number].attributes.indexOf(inverse);
    return [...new Set(names.flatMap((name) => [...(known.get(name) || [])]))].flatMap((part) =>
      referenceSpans(part, attribute).filter((span) => span.model === model).map((span) => ({ ...span, model: part })));
  });
};
// The numbers of the entities that have changes.
const numbersOf = (names) => [...entities.keys()].filter((number) => names.includes(entities[number].name));

// The spans of each part of a model with their paths.
let parts = { root: -1, size: 0, paths: noPaths, spans: new Map() };
const partsOf = (root) => {
  const paths = chosenPaths(root);
  if (parts.root === root && parts.size === kinds.length && parts.paths === paths) return parts.spans;
  const spans = new Map();
  for (const path of data.skips ? [] : paths) {
    let reached = [{ model: root, from: -1, to: Infinity }];
    for (const name of path.split('.')) {
      reached = reached.flatMap(({ model, from, to }) => {
        const relationship = entities[entityOfModel[model]].relationships.get(name);
        return (relationship ? reachedSpans(model, relationship) : [])
          .map((span) => ({ model: span.model, from: Math.max(from, span.from), to: Math.min(to, span.to) }))
          .filter((span) => span.from <= span.to);
      });
    }
    for (const { model, from, to } of reached) {
      if (!spans.has(model)) spans.set(model, []);
      spans.get(model).push({ path, from, to });
    }
  }
  parts = { root, size: kinds.length, paths, spans };
  return spans;
};
// The paths that reached the model of a change; `undefined` if the change is neither one of the root nor of a part.
const pathsTo = (root, change, transaction) => {
  const spans = partsOf(root).get(modelOf[change]) || [];
  const found = spans.filter(({ from, to }) => from <= transaction && transaction <= to + 1).map(({ path }) => path);
  return found.length || modelOf[change] === root ? [...new Set(found)] : undefined;
};
const changesWithParts = (root) => {
  const changes = historyOf(root).changes.slice();
  for (const model of partsOf(root).keys()) {
    if (model === root) continue;
    for (const change of historyOf(model).changes) if (pathsTo(root, change, transactionOf(change))) changes.push(change);
  }
  return changes.sort((a, b) => a - b);
};
// The model of a change in the list of another one, with its paths.
const partNodes = (root, change, transaction) => {
  const model = modelOf[change], paths = pathsTo(root, change, transaction) || [];
  const nodes = model === root ? [] : [' ', modelLink(modelName(model), titledName(model, transaction))];
  return paths.length ? [...nodes, element('span', 'path', ' (' + paths.map(visible).join(', ') + ')')] : nodes;
};

// MARK: The choice of paths

// The relationships of entities, and those of the destinations of chosen ones, except back to where they come from.
const offeredPaths = (numbers, chosen, prefix, inverse) => {
  const found = new Map(numbers.flatMap((number) => [...entities[number].relationships]));
  return [...found.values()].filter(({ name }) => name !== inverse).flatMap((relationship) => {
    const path = prefix + relationship.name;
    const further = chosen.has(path)
      ? offeredPaths(numbersOf(relationship.kinds), chosen, path + '.', relationship.inverse) : [];
    return [{ path, isList: relationship.isList }, ...further];
  });
};
const choosePaths = (model, wanted) => {
  const offered = offeredPaths([entityOfModel[model]], wanted, '', null).map(({ path }) => path);
  pathsOf.set(entityOfModel[model], new Set(offered.filter((path) => wanted.has(path))));
};
const showWithPaths = (wanted) => {
  choosePaths(shownModel, wanted);
  applyFilter(true);
  showPanel();
  setFragment();
};
// A box for each path, and a remark if parts are shown.
const partControls = (model) => {
  const chosen = chosenPaths(model), offered = offeredPaths([entityOfModel[model]], chosen, '', null);
  if (data.skips || !offered.length) return [];
  const group = element('div', 'parts');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'With parts');
  group.append('With parts', ...offered.map(({ path }) => {
    const label = element('label'), box = element('input');
    box.type = 'checkbox';
    box.dataset.path = path;
    box.checked = chosen.has(path);
    box.addEventListener('change', () => {
      showWithPaths(box.checked ? new Set([...chosen, path]) : new Set([...chosen].filter((other) => other !== path)));
      for (const other of $('details').querySelectorAll('.parts input')) if (other.dataset.path === path) other.focus();
    });
    label.append(box, visible(path));
    return label;
  }));
  if (!chosen.size) return [group];
  return [group, element('p', 'secondary note', 'A part is listed if this page contains the relationship to it.')];
};
// Shows the parts of all lists, or none.
const switchParts = () => {
  if (panel !== 'model' || shownModel < 0) return;
  const offered = offeredPaths([entityOfModel[shownModel]], noPaths, '', null);
  const lists = offered.filter(({ isList }) => isList), all = lists.length ? lists : offered;
  showWithPaths(chosenPaths(shownModel).size ? noPaths : new Set(all.map(({ path }) => path)));
};
