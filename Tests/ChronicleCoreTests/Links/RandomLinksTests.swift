import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Random sequences of changes of links by two contexts and another program, compared with plain sets of pairs.
///
/// After every step, both sides of every relationship agree in both contexts, and after a fetch they match the sets;
/// after every save, the rows match too, and so does the state of a reader that refreshes only the models in the
/// history.
@Suite struct RandomLinksTests {
    @Test(arguments: TestSeed.rounds(3), StoreKind.allCases) func randomStepsMatchPlainPairs(
        _ seed: Int, _ kind: StoreKind
    ) throws {
        var run = try LinksRun(TestStore(kind, [LinkItem.self]), seed: UInt64(seed))
        for step in 0..<(kind == .file ? 120 : 240) {
            let what = try run.step()
            try run.check("seed \(seed), step \(step): \(what)")
        }
    }
}

/// A link, by the names of its ends, in one of the relationships.
private struct Pair: Hashable {
    enum Kind: String, CaseIterable { case tags, photos, covers, friends, idols, teachers }

    let kind: Kind
    let from: String
    let to: String

    /// Symmetric links between friends.
    init(_ kind: Kind, _ from: String, _ to: String) {
        self.kind = kind
        let isReversed = kind == .friends && to < from
        (self.from, self.to) = isReversed ? (to, from) : (from, to)
    }
}

/// The links that are saved, or that one context has loaded.
private struct PlainLinks: Equatable {
    var items: Set<String> = []
    var tags: Set<String> = []
    var photos: Set<String> = []
    var pairs: Set<Pair> = []

    var names: Set<String> { items.union(tags).union(photos) }

    mutating func delete(_ gone: Set<String>) {
        items.subtract(gone)
        tags.subtract(gone)
        photos.subtract(gone)
        pairs = pairs.filter { !gone.contains($0.from) && !gone.contains($0.to) }
    }
}

/// A context with its unsaved changes.
private final class Editor {
    let context: ModelContext
    var inserted: [String: any PersistentModel] = [:]
    var deleted: Set<String> = []
    var added: Set<Pair> = []
    var removed: Set<Pair> = []
    /// The stored links as the context has last read them. A change back to them is none.
    var known: Set<Pair> = []
    /// All models of the context, retained so that none is released.
    var models: [String: any PersistentModel] = [:]

    init(_ context: ModelContext) { self.context = context }

    func clear() { (inserted, deleted, added, removed) = ([:], [], [], []) }

    /// The expected links.
    func view(of saved: PlainLinks) -> PlainLinks {
        var view = saved
        for (name, model) in inserted {
            switch model {
            case is LinkItem: view.items.insert(name)
            case is LinkTag: view.tags.insert(name)
            default: view.photos.insert(name)
            }
        }
        view.pairs = view.pairs.subtracting(removed).union(added)
        view.delete(deleted)
        view.pairs = view.pairs.filter { view.names.contains($0.from) && view.names.contains($0.to) }
        return view
    }
}

private struct LinksRun {
    let store: TestStore
    let editors: [Editor]
    var random: SplitMix
    var saved = PlainLinks()
    /// The state of a reader of the history: the destinations of each model's relationships.
    var known: [String: [String: Set<String>]] = [:]
    var token: DefaultHistoryToken?
    var counter = 0

    init(_ store: TestStore, seed: UInt64) throws {
        self.store = store
        editors = [Editor(store.context(author: "one")), Editor(store.context(author: "two"))]
        random = SplitMix(state: seed)
        token = try store.store.currentHistoryToken()
    }

    private mutating func any(_ names: Set<String>) -> String? {
        names.isEmpty ? nil : names.sorted()[random.below(names.count)]
    }

    // MARK: Steps

    mutating func step() throws -> String {
        let editor = editors[random.below(2)]
        switch random.below(100) {
        case ..<16: return insert(editor)
        case ..<62: return try toggle(editor)
        case ..<68: return try replaceAll(editor)
        case ..<73: return try delete(editor)
        case ..<75: return try takeBack(editor)
        case ..<79:
            editor.context.rollback()
            editor.clear()
            try readLinks(editor)
            return "rollback"
        case ..<85: return try refetch(editor)
        case ..<90: return try writeElsewhere()
        default: return try save(editor)
        }
    }

    private mutating func insert(_ editor: Editor) -> String {
        counter += 1
        let model: any PersistentModel
        let name: String
        switch random.below(3) {
        case 0:
            name = "i\(counter)"
            let item = LinkItem(name)
            // Sets relationships before the insert, from either side.
            if let tag = any(Set(editor.models.keys.filter { $0.hasPrefix("t") })), isThere(tag, editor),
                let model = editor.models[tag] as? LinkTag
            {
                item.tags = [model]
                editor.added.insert(Pair(.tags, name, tag))
            }
            model = item
        case 1:
            name = "t\(counter)"
            let tag = LinkTag(name)
            if let item = any(Set(editor.models.keys.filter { $0.hasPrefix("i") })), isThere(item, editor),
                let model = editor.models[item] as? LinkItem
            {
                tag.items = [model]
                editor.added.insert(Pair(.tags, item, name))
            }
            model = tag
        default:
            name = "p\(counter)"
            model = LinkPhoto(name)
        }
        editor.context.insert(model)
        editor.inserted[name] = model
        editor.models[name] = model
        return "insert \(name)"
    }

    private func isThere(_ name: String, _ editor: Editor) -> Bool {
        editor.view(of: saved).names.contains(name) && editor.models[name] != nil
    }

    private mutating func pick(_ prefix: String, _ editor: Editor) -> (String, any PersistentModel)? {
        let names = editor.view(of: saved).names.filter { $0.hasPrefix(prefix) && editor.models[$0] != nil }
        return any(names).flatMap { name in editor.models[name].map { (name, $0) } }
    }

    /// Adds a destination, or removes it if the list contains it.
    private mutating func toggle(_ editor: Editor) throws -> String {
        let kind = Pair.Kind.allCases[random.below(Pair.Kind.allCases.count)]
        guard let (from, owner) = pick("i", editor) as? (String, LinkItem) else { return "nothing" }
        let prefix = kind == .tags ? "t" : kind == .photos || kind == .covers ? "p" : "i"
        guard let (to, destination) = pick(prefix, editor) else { return "nothing" }
        let isFromTheOtherSide = random.below(2) == 0
        let isAdded: Bool
        switch (kind, destination) {
        case (.tags, let tag as LinkTag) where isFromTheOtherSide: isAdded = flip(&tag.items, owner)
        case (.tags, let tag as LinkTag): isAdded = flip(&owner.tags, tag)
        case (.photos, let photo as LinkPhoto): isAdded = flip(&owner.photos, photo)
        case (.covers, let photo as LinkPhoto):
            isAdded = owner.covers.insert(photo).inserted
            if !isAdded { owner.covers.remove(photo) }
        case (.friends, let item as LinkItem): isAdded = flip(&owner.friends, item)
        case (.idols, let item as LinkItem): isAdded = flip(&owner.idols, item)
        case (.teachers, let item as LinkItem) where isFromTheOtherSide: isAdded = flip(&item.students, owner)
        case (.teachers, let item as LinkItem): isAdded = flip(&owner.teachers, item)
        default: return "nothing"
        }
        note(Pair(kind, from, to), isAdded, editor)
        return "\(isAdded ? "add" : "remove") \(kind) \(from) \(to)"
    }

    private func flip<Model: PersistentModel>(_ list: inout [Model], _ model: Model) -> Bool {
        if let place = list.firstIndex(where: { $0 === model }) {
            list.remove(at: place)
            return false
        }
        list.append(model)
        return true
    }

    private func note(_ pair: Pair, _ isAdded: Bool, _ editor: Editor) {
        if isAdded {
            if editor.removed.remove(pair) == nil || !editor.known.contains(pair) { editor.added.insert(pair) }
        } else {
            if editor.added.remove(pair) == nil || editor.known.contains(pair) { editor.removed.insert(pair) }
        }
    }

    private mutating func replaceAll(_ editor: Editor) throws -> String {
        guard let (from, owner) = pick("i", editor) as? (String, LinkItem) else { return "nothing" }
        let tags = (0..<3).compactMap { _ in pick("t", editor)?.1 as? LinkTag }
        let old = Set(owner.tags.map(\.name)), new = Set(tags.map(\.name))
        owner.tags = tags
        for name in old.subtracting(new) { note(Pair(.tags, from, name), false, editor) }
        for name in new.subtracting(old) { note(Pair(.tags, from, name), true, editor) }
        return "\(from).tags = \(new.sorted())"
    }

    private mutating func delete(_ editor: Editor) throws -> String {
        guard let name = any(editor.view(of: saved).names), let model = editor.models[name] else { return "nothing" }
        let before = Set(editor.inserted.keys)
        editor.context.delete(model)
        // The links that are deleted with the model are those that the context has loaded.
        editor.deleted = Set(editor.context.deletedModelsArray.map(Self.name))
        let left = before.subtracting(editor.context.insertedModelsArray.map(Self.name))
        for name in left {
            editor.inserted[name] = nil
            editor.models[name] = nil
            editor.added = editor.added.filter { $0.from != name && $0.to != name }
        }
        try readLinks(editor)
        return "delete \(name)"
    }

    /// Reads all lists again, because the context has discarded them.
    private func readLinks(_ editor: Editor) throws {
        _ = try Self.links(editor.context)
        editor.known = saved.pairs
    }

    private mutating func takeBack(_ editor: Editor) throws -> String {
        guard let name = any(editor.deleted.intersection(saved.names)), let model = editor.models[name] else {
            return "nothing"
        }
        editor.context.insert(model)
        editor.deleted.remove(name)
        try readLinks(editor)
        // The links along which the store would delete the photo again.
        for pair in saved.pairs where pair.kind == .photos && pair.to == name && editor.deleted.contains(pair.from) {
            note(pair, false, editor)
        }
        return "take back \(name)"
    }

    /// The current state, including unsaved changes.
    private func refetch(_ editor: Editor) throws -> String {
        let context = editor.context
        let models: [any PersistentModel] = try context.items() + context.linkTags() + context.photos()
        editor.models = Dictionary(uniqueKeysWithValues: models.map { (Self.name($0), $0) })
            .merging(editor.models.filter { editor.deleted.contains($0.key) }) { $1 }
        var (found, expected) = (try Self.links(context), editor.view(of: saved))
        editor.known = saved.pairs
        // A model that was changed here and deleted by another writer remains until the save.
        let lost = Set(context.changedModelsArray.map(Self.name)).union(editor.added.map(\.to))
            .subtracting(saved.names).subtracting(editor.inserted.keys)
        found.delete(lost)
        expected.delete(lost)
        try #require(found == expected, "after a fetch")
        return "fetch"
    }

    /// Changes by another program.
    private mutating func writeElsewhere() throws -> String {
        guard let item = any(saved.items), let tag = any(saved.tags), let other = any(saved.items) else {
            return "nothing"
        }
        let key = { (name: String, table: String) in "(SELECT id FROM \(table) WHERE name = '\(name)')" }
        let (i, t, o) = (key(item, "LinkItem"), key(tag, "LinkTag"), key(other, "LinkItem"))
        let sql: String
        switch random.below(4) {
        case 0:
            sql = "REPLACE INTO \"LinkItem.tags\" VALUES (\(i), \(t))"
            saved.pairs.insert(Pair(.tags, item, tag))
        case 1:
            sql = "DELETE FROM \"LinkItem.tags\" WHERE owner = \(i)"
            saved.pairs = saved.pairs.filter { $0.kind != .tags || $0.from != item }
        case 2:
            sql = "INSERT INTO \"LinkItem.friends\" VALUES (\(i), \(o))"
            saved.pairs.insert(Pair(.friends, item, other))
        default:
            sql = "UPDATE OR REPLACE \"LinkItem.idols\" SET destination = \(o) WHERE owner = \(i)"
            if saved.pairs.contains(where: { $0.kind == .idols && $0.from == item }) {
                saved.pairs = saved.pairs.filter { $0.kind != .idols || $0.from != item }
                saved.pairs.insert(Pair(.idols, item, other))
            }
        }
        try store.foreign("PRAGMA foreign_keys = ON; " + sql)
        try readHistory()
        return sql
    }

    private mutating func save(_ editor: Editor) throws -> String {
        // In the order of a store's save: removes links, deletes rows and their cascades, adds links.
        var after = saved
        after.pairs.subtract(editor.removed)
        let photos = after.pairs.filter { $0.kind == .photos && editor.deleted.contains($0.from) }.map(\.to)
        after.delete(editor.deleted.union(photos))
        let ends = after.names.union(editor.inserted.keys)
        let isLost = editor.added.contains { pair in
            !editor.deleted.contains(pair.from) && !editor.deleted.contains(pair.to)
                && !(ends.contains(pair.from) && ends.contains(pair.to))
        }
        do { try editor.context.save() } catch SwiftDataError.modelValidationFailure where isLost {
            editor.context.rollback()
            editor.clear()
            try readLinks(editor)
            return "save what is lost"
        }
        // A link to a model whose row the context knows to be gone is dropped.
        saved = after
        let new = editor.view(of: PlainLinks())
        saved.items.formUnion(new.items)
        saved.tags.formUnion(new.tags)
        saved.photos.formUnion(new.photos)
        saved.pairs.formUnion(editor.added.filter { saved.names.contains($0.from) && saved.names.contains($0.to) })
        for name in editor.deleted { editor.models[name] = nil }
        editor.known = editor.known.subtracting(editor.removed).union(editor.added)
        editor.clear()
        try #require(!editor.context.hasChanges)
        try #require(try store.reading { try Self.links($0) } == saved, "the rows")
        try readHistory()
        return "save"
    }

    // MARK: Checks

    /// Reads the new transactions, and refreshes the models in them.
    private mutating func readHistory() throws {
        for transaction in try store.history(token.map { .after($0) } ?? Descriptor()) {
            token = transaction.token
            var updated: [PersistentIdentifier: Int] = [:]
            for change in transaction.changes {
                if case .update = change { updated[change.changedPersistentIdentifier, default: 0] += 1 }
                try store.reading { try look(at: change, $0) }
            }
            if transaction.author != nil { try #require(updated.values.allSatisfy { $0 == 1 }, "one update a model") }
        }
        let rows = try store.reading { context in
            try Dictionary(uniqueKeysWithValues: context.items().map { ("\($0.persistentModelID)", Self.lists($0)) })
                .merging(context.linkTags().map { ("\($0.persistentModelID)", ["items": Set($0.items.map(\.name))]) }) {
                    $1
                }
        }
        try #require(known == rows, "models in the history")
    }

    private mutating func look(at change: HistoryChange, _ context: ModelContext) throws {
        let identifier = change.changedPersistentIdentifier
        let key = "\(identifier)"
        guard identifier.entityName != "LinkPhoto" else { return }
        var names: Set<String>?
        switch change {
        case .delete:
            known[key] = nil
            return
        case .insert: break
        case .update(let update as DefaultHistoryUpdate<LinkItem>): names = Set(update.updatedAttributeNames)
        case .update(let update as DefaultHistoryUpdate<LinkTag>): names = Set(update.updatedAttributeNames)
        case .update: break
        }
        do {
            let model = try context.existingModel(for: identifier)
            let lists =
                (model as? LinkItem).map(Self.lists) ?? ["items": Set((model as? LinkTag)?.items.map(\.name) ?? [])]
            for (name, list) in lists where names?.contains(name) ?? true { known[key, default: [:]][name] = list }
        } catch SwiftDataError.modelNotFound {
            // Its delete follows.
        }
    }

    /// Expects that both sides agree in the loaded models of the contexts.
    func check(_ what: String) throws {
        for editor in editors {
            let view = editor.view(of: saved)
            let models = editor.models.filter { view.names.contains($0.key) }.map(\.value)
            let items = models.compactMap { $0 as? LinkItem }, tags = models.compactMap { $0 as? LinkTag }
            for item in items {
                for tag in item.tags { try #require(tag.items.contains { $0 === item }, "\(what): \(item.name).tags") }
                for other in item.friends {
                    try #require(other.friends.contains { $0 === item }, "\(what): \(item.name).friends")
                }
                for other in item.teachers {
                    try #require(other.students.contains { $0 === item }, "\(what): \(item.name).teachers")
                }
            }
            for tag in tags {
                for item in tag.items { try #require(item.tags.contains { $0 === tag }, "\(what): \(tag.name).items") }
            }
        }
    }

    private static func name(_ model: any PersistentModel) -> String {
        (model as? LinkItem)?.name ?? (model as? LinkTag)?.name ?? (model as? LinkPhoto)?.name ?? "?"
    }

    private static func lists(_ item: LinkItem) -> [String: Set<String>] {
        [
            "tags": Set(item.tags.map(\.name)), "photos": Set(item.photos.map(\.name)),
            "covers": Set(item.covers.map(\.name)), "friends": Set(item.friends.map(\.name)),
            "idols": Set(item.idols.map(\.name)), "teachers": Set(item.teachers.map(\.name)),
            "students": Set(item.students.map(\.name)),
        ]
    }

    /// What a context fetches, from both sides.
    private static func links(_ context: ModelContext) throws -> PlainLinks {
        var plain = PlainLinks()
        let (items, tags) = (try context.items(), try context.linkTags())
        plain.items = Set(items.map(\.name))
        plain.tags = Set(tags.map(\.name))
        plain.photos = Set(try context.photos().map(\.name))
        for item in items {
            for kind in Pair.Kind.allCases {
                for name in lists(item)[kind.rawValue] ?? [] { plain.pairs.insert(Pair(kind, item.name, name)) }
            }
        }
        let reversed = tags.flatMap { tag in tag.items.map { Pair(.tags, $0.name, tag.name) } }
        try #require(Set(reversed) == plain.pairs.filter { $0.kind == .tags })
        return plain
    }
}
