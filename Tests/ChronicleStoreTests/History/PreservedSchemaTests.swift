import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Preserved values when the setting of the file, its schema, or its history changes.
@Suite struct PreservedSchemaTests {
    private typealias Piece = PreservedModels.Piece
    private typealias Label = PreservedModels.Label

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let files = PreservedStore.allCases.filter { $0 != .inMemory }

    private func store(of context: ModelContext) throws -> DefaultStore {
        try #require(context.container.stores.first as? DefaultStore)
    }

    // MARK: Setting

    @Test(arguments: PreservedStore.allCases) func changingTheSetting(_ kind: PreservedStore) throws {
        let context = ModelContext(try kind.container([First.self], directory, preservesValues: false))
        let store = try store(of: context)
        let model = First("0")
        context.insert(model)
        try context.save()
        for number in 1..<6 {
            try store.setPreservesValues(number % 2 == 1)
            #expect(try store.preservesValues == (number % 2 == 1))
            model.title = "\(number)"
            model.kept = "\(number)"
            try context.save()
        }
        let updates = try context.updates(First.self)
        #expect(updates.map { $0.previousValue(\.title) } == ["0", nil, "2", nil, "4"])
        #expect(updates.map { $0.value(\.title) } == ["1", nil, "3", nil, "5"])
        #expect(updates.map { $0.value(\.kept) } == ["1", "2", "3", "4", "5"])
        #expect(try context.inserts(First.self).map(\.preservedValues.count) == [0])
        // Without a change, statements of other connections remain valid.
        let version = try store.database.read { try $0.scalarInt64("PRAGMA schema_version") }
        try store.setPreservesValues(true)
        #expect(try store.database.read { try $0.scalarInt64("PRAGMA schema_version") } == version)
    }

    /// The setting applies to the other store of the file, whose models have more properties, and to other programs.
    @Test(arguments: files) func theSettingAppliesToOtherStores(_ kind: PreservedStore) throws {
        let other = ModelContext(try kind.container([Second.self, Link.self], directory, preservesValues: false))
        let context = ModelContext(try kind.container([First.self], directory, preservesValues: false))
        let (model, link) = (Second("0"), Link())
        other.insert(model)
        other.insert(link)
        try other.save()
        #expect(try !store(of: context).preservesValues)
        try store(of: context).setPreservesValues(true)
        (model.title, model.extra) = ("1", 5)
        try other.save()
        let mine = First("mine")
        context.insert(mine)
        try context.save()
        _ = try Shell.sqlite3(directory.file("\(kind.rawValue).store"), "UPDATE Entry SET title = 'foreign', extra = 6")

        let updates = try other.updates(Second.self)
        try #require(updates.count == 3)
        #expect(updates.map { $0.previousValue(\.title) } == ["0", "1", "mine"])
        #expect(updates.map { $0.previousValue(\.extra) } == [4, 5, 4])
        #expect(updates.map { $0.value(\.extra) } == [5, 6, 6])
        #expect(try other.inserts(Second.self).map { $0.value(\.extra) } == [nil, 4])
        // The first schema does not contain the property.
        let seen = try context.updates(First.self)
        #expect(seen.map { $0.value(\.title) } == ["1", "foreign", "foreign"])
        #expect(seen.map { $0.previousValue(named: "extra") as? Int64 } == [4, 5, 4])
        #expect(seen.first?.updatedAttributeNames == ["title", "extra"])
        // The entity is missing in the first schema.
        link.name = "b"
        link.entries = [model]
        try other.save()
        let removed = try context.updates(UntypedModel.self)
        #expect(removed.map { $0.value(named: "name") as? String } == ["b"])
        #expect(removed.map { $0.previousValue(named: "name") as? String } == ["a"])
        // The schema of the store that changed the setting does not contain the links, so the next store whose schema
        // does creates their triggers.
        let reopened = ModelContext(try kind.container([Second.self, Link.self], directory))
        let added = try #require(
            try reopened.fetch(FetchDescriptor<Second>()).first { $0.persistentModelID == mine.persistentModelID })
        try #require(try reopened.fetch(FetchDescriptor<Link>()).first).entries.append(added)
        try reopened.save()
        #expect(try other.updates(Link.self).last?.addedDestinations(\.entries) == [added.persistentModelID])
    }

    /// A program adopts the setting with an existing file, which another program has open.
    @Test(arguments: files) func configurationsApplyTheSettingToExistingFiles(_ kind: PreservedStore) throws {
        let other = ModelContext(try kind.container([Second.self, Link.self], directory, preservesValues: false))
        let (model, link) = (Second("0"), Link())
        other.insert(model)
        other.insert(link)
        try other.save()
        model.title = "1"
        try other.save()
        let (logger, file) = (TestLogger(), directory.file("\(kind.rawValue).store"))
        var configuration = ModelConfiguration(
            url: file, allowsSave: false, durability: .relaxed, preservesValues: true)
        configuration.logger = logger
        configuration.recorder = kind == .triggers ? .triggers : .automatic
        // Neither a reader nor a store without history changes the setting.
        _ = try ModelContainer(for: Schema(First.self), configurations: [configuration])
        #expect(try !store(of: other).preservesValues && logger.entries.isEmpty)
        configuration.allowsSave = true
        let steps = try ModelContainer.migrationSteps(for: Schema(First.self), configurations: [configuration])
        #expect(steps.contains { $0.kind == .changeRecording })
        for opening in 0..<3 {
            let container = try ModelContainer(for: Schema(First.self), configurations: [configuration])
            #expect(try (#require(container.stores.first as? DefaultStore)).preservesValues, "\(opening)")
        }
        #expect(logger.entries.map(\.event) == ["valuesPreserved"])
        #expect(logger.entries.first?.metadata["path"] == file.path)
        // The program that has the file open and the next one preserve values, and `false` changes nothing.
        model.title = "2"
        link.entries = [model]
        try other.save()
        let unset = ModelContext(try kind.container([Second.self, Link.self], directory, preservesValues: false))
        let again = try #require(try unset.fetch(FetchDescriptor<Second>()).first)
        again.title = "3"
        try unset.save()
        _ = try Shell.sqlite3(file, "UPDATE Entry SET title = 'foreign'")
        let updates = try unset.updates(Second.self)
        #expect(updates.map { $0.previousValue(\.title) } == [nil, "1", "2", "3"])
        #expect(updates.map { $0.value(\.title) } == [nil, "2", "3", "foreign"])
        try DefaultStore.verify(fileAt: file) { Issue.record("\($0)") }
    }

    @Test(arguments: files) func storesWithoutHistoryKeepTheSetting(_ kind: PreservedStore) throws {
        _ = try kind.container([First.self], directory, preservesValues: false)
        let disabled = try kind.container([First.self], directory, preservesValues: true, recordsHistory: false)
        #expect(try !store(of: ModelContext(disabled)).preservesValues)
        let enabled = try kind.container([First.self], directory, preservesValues: true)
        #expect(try store(of: ModelContext(enabled)).preservesValues)
    }

    @Test(arguments: files) func nothingIsPreservedWhileTheHistoryIsDisabled(_ kind: PreservedStore) throws {
        func save(recordsHistory: Bool, _ title: String) throws -> ModelContext {
            let context = ModelContext(try kind.container([First.self], directory, recordsHistory: recordsHistory))
            if let model = try context.fetch(FetchDescriptor<First>()).first {
                model.title = title
            } else {
                context.insert(First(title))
            }
            try context.save()
            return context
        }
        _ = try save(recordsHistory: true, "0")
        _ = try save(recordsHistory: true, "1")
        let disabled = try save(recordsHistory: false, "2")
        #expect(try store(of: disabled).preservesValues)
        #expect(try failure { try store(of: disabled).setPreservesValues(false) } == .historyDisabled)
        let context = try save(recordsHistory: true, "3")
        let updates = try context.updates(First.self)
        #expect(updates.map { $0.previousValue(\.title) } == ["0", "2"])
        #expect(updates.map { $0.value(\.title) } == ["1", "3"])
    }

    /// The triggers of the new setting would record changes again, without a gap.
    @Test(arguments: files) func theSettingDoesNotEnableTheHistory(_ kind: PreservedStore) throws {
        let context = ModelContext(try kind.container([First.self], directory))
        context.insert(First("a"))
        try context.save()
        let disabled = ModelContext(try kind.container([First.self], directory, recordsHistory: false))
        #expect(try failure { try store(of: context).setPreservesValues(false) } == .historyDisabled)
        #expect(try store(of: context).preservesValues)
        #expect(try failure { try context.changes() } == .historyDisabled)
        #expect(try disabled.fetchCount(FetchDescriptor<First>()) == 1)
    }

    /// The setting creates the triggers again that another program dropped, so that changes before it are unknown.
    @Test(arguments: files, ["chronicle_1_update", "chronicle_Entry.links_insert"])
    func theSettingRepairsTriggersAndLeavesAGap(_ kind: PreservedStore, _ trigger: String) throws {
        let context = ModelContext(try kind.container([Second.self, Link.self], directory))
        context.insert(Second("a"))
        try context.save()
        let token = try context.currentHistoryToken()
        let file = directory.file("\(kind.rawValue).store")
        _ = try Shell.sqlite3(file, "DROP TRIGGER \"\(trigger)\"; UPDATE Entry SET title = 'unknown'")
        try store(of: context).setPreservesValues(false)
        let descriptor = Descriptor(predicate: #Predicate { $0.token > token })
        #expect(try failure { try context.fetchHistory(descriptor) } == .historyTokenGap)
        let later = try context.currentHistoryToken()
        try store(of: context).setPreservesValues(true)
        _ = try Shell.sqlite3(file, "UPDATE Entry SET title = 'known'")
        let updates = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > later })).flatMap(
            \.changes)
        #expect(updates.map(\.text) == ["update Entry/1 title"])
    }

    // MARK: Schema changes

    @Test(arguments: files) func renamedRemovedAndAddedAttributes(_ kind: PreservedStore) throws {
        do {
            let context = ModelContext(try kind.container([First.self], directory))
            let model = First("a")
            context.insert(model)
            context.insert(First("untouched"))
            try context.save()
            (model.title, model.colour) = ("b", "red")
            try context.save()
        }
        let context = ModelContext(try kind.container([Renamed.self], directory))
        let models = try context.fetch(FetchDescriptor<Renamed>(sortBy: [SortDescriptor(\.name)]))
        // The rows of the file do not contain the new attributes, which have default values.
        (models[0].rating, models[0].mark) = (4, nil)
        try context.save()
        models[0].name = "c"
        try context.save()
        context.delete(models[1])
        try context.save()

        let inserts = try context.inserts(Renamed.self)
        #expect(inserts.map { $0.value(\.name) } == ["a", "untouched"])
        #expect(inserts.map { $0.value(\.rating) } == [nil, nil])
        #expect(inserts[0].value(named: "colour") as? String == "blue")
        let updates = try context.updates(Renamed.self)
        try #require(updates.count == 3)
        #expect(updates[0].previousValue(\.name) == "a")
        #expect(updates[0].value(\.name) == "b")
        #expect(updates[0].previousValue(named: "colour") as? String == "blue")
        #expect(updates[0].value(named: "colour") as? String == "red")
        #expect(updates[0].updatedAttributeNames == ["name", "colour"])
        #expect(updates[1].previousValue(\.rating) == 3)
        #expect(updates[1].value(\.rating) == 4)
        #expect(updates[1].previousValue(\.mark) == .some("x"))
        #expect(updates[1].value(\.mark) == .some(.none))
        #expect(updates[2].previousValue(\.name) == "b")
        let tombstone = try #require(try context.deletes(Renamed.self).first).tombstone
        #expect(tombstone[\.name] == "untouched")
        #expect(tombstone[\.rating] == 3)
        #expect(tombstone[\.mark] == .some("x"))
        #expect(tombstone["colour"] as? String == "blue")
    }

    // MARK: Deleting history

    /// The values of the remaining changes are the same after other transactions were deleted.
    @Test(arguments: StoreKind.allCases, 0..<3) func deletingOtherHistory(_ kind: StoreKind, _ round: Int) throws {
        var random = TestSeed.generator(round)
        let store = try TestStore(kind, PreservedModels.types, preservesValues: true)
        let contexts = (0..<4).map { store.context(author: "\($0)") }
        for number in 0..<40 {
            let context = random.pick(contexts)
            let pieces = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Piece.name)]))
            let labels = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Label.name)]))
            context.insert(Piece("\(number)"))
            if number % 5 == 0 { context.insert(Label("\(number)")) }
            for piece in pieces where random.below(4) == 0 {
                (piece.note, piece.number, piece.partner) = ("\(number)", number, random.pick(pieces))
                if random.below(2) == 0 { piece.labels = labels.filter { _ in random.below(2) == 0 } }
            }
            if let piece = pieces.first, random.below(4) == 0 { context.delete(piece) }
            try context.save()
            if random.below(6) == 0 { try store.foreign("UPDATE Piece SET note = note || 'f' WHERE id % 3 = 0") }
        }
        // The identifier of a transaction of another program changes when the next save groups it.
        contexts[2].insert(Piece("last"))
        try contexts[2].save()
        func lines() throws -> [String: [String]] {
            Dictionary(grouping: try store.history(), by: { $0.author ?? "none" }).mapValues { transactions in
                transactions.flatMap { transaction in
                    transaction.changes.map { "\(transaction.transactionIdentifier) \($0.text) \(Self.values($0))" }
                }
            }
        }
        var expected = try lines()
        #expect(expected.values.joined().contains { $0.contains("note: ") })
        for author in ["1", "3", "0"] {
            try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == author }))
            expected[author] = nil
            let isEqual = try lines() == expected
            #expect(isEqual, "\(TestSeed.description), without \(author)")
        }
    }

    private static func values(_ change: HistoryChange) -> String {
        func text(_ values: [PreservedValue]) -> String {
            values.map { "\($0.name): \($0.previousValue.map { "\($0)" } ?? "-") \($0.value.map { "\($0)" } ?? "-")" }
                .joined(separator: ", ")
        }
        return switch change {
        case .insert(let change): text((change as? DefaultHistoryInsert<Piece>)?.preservedValues ?? [])
        case .update(let change):
            text(
                (change as? DefaultHistoryUpdate<Piece>)?.preservedValues
                    ?? (change as? DefaultHistoryUpdate<Label>)?.preservedValues ?? [])
        case .delete(let change):
            "\((change as? DefaultHistoryDelete<Piece>)?.tombstone.namedValues.map { "\($0)" } ?? [])"
        }
    }
}

private final class First: PersistentModel {
    @Attribute var title: String
    @Attribute var colour = "blue"
    @Attribute(.preserveValueOnUpdate) var kept = "0"

    static let entityName = "Entry"
    static let properties: PropertyMap<First> = ["title": \.title, "colour": \.colour, "kept": \.kept]
    let persistentBackingData: any BackingData<First> = First.createBackingData()
    init(backingData: any BackingData<First>) { persistentBackingData.adopt(backingData) }
    init(_ title: String) { self.title = title }
}

/// Has more properties than ``First``.
private final class Second: PersistentModel {
    @Attribute var title: String
    @Attribute var colour = "blue"
    @Attribute(.preserveValueOnUpdate) var kept = "0"
    @Attribute var extra = 4
    @Relationship(inverse: \Link.entries) var links: [Link]

    static let entityName = "Entry"
    static let properties: PropertyMap<Second> = [
        "title": \.title, "colour": \.colour, "kept": \.kept, "extra": \.extra, "links": \.links,
    ]
    let persistentBackingData: any BackingData<Second> = Second.createBackingData()
    init(backingData: any BackingData<Second>) { persistentBackingData.adopt(backingData) }
    init(_ title: String) { self.title = title }
}

private final class Link: PersistentModel {
    @Attribute var name = "a"
    @Relationship var entries: [Second]

    static let entityName = "EntryLink"
    static let properties: PropertyMap<Link> = ["name": \.name, "entries": \.entries]
    let persistentBackingData: any BackingData<Link> = Link.createBackingData()
    init(backingData: any BackingData<Link>) { persistentBackingData.adopt(backingData) }
    init() {}
}

/// A later version of ``First``.
private final class Renamed: PersistentModel {
    @Attribute(originalName: "title") var name: String
    @Attribute var rating = 3
    @Attribute var mark: String? = "x"

    static let entityName = "Entry"
    static let properties: PropertyMap<Renamed> = ["name": \.name, "rating": \.rating, "mark": \.mark]
    let persistentBackingData: any BackingData<Renamed> = Renamed.createBackingData()
    init(backingData: any BackingData<Renamed>) { persistentBackingData.adopt(backingData) }
}
