import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The history remains readable after schema changes.
@Suite struct HistorySchemaTests {
    private let directory: TemporaryDirectory
    private var file: URL { directory.file("test.store") }

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ types: any PersistentModel.Type...) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(types), configurations: [ModelConfiguration(url: file, durability: .relaxed)]))
    }

    private func notes() throws -> ModelContext {
        let context = try open(First.Note.self, First.Tag.self)
        let note = First.Note()
        (note.text, note.rank, note.mood) = ("hello", 7, .good)
        context.insert(note)
        context.insert(First.Tag())
        try context.save()
        note.rank = 8
        note.text = "bye"
        try context.save()
        context.delete(note)
        try context.save()
        return context
    }

    @Test func changesOfRemovedEntitiesAreReadable() throws {
        let first = try notes()
        let token = try first.currentHistoryToken()
        let tag = try #require(try first.fetch(FetchDescriptor<First.Tag>()).first)
        first.delete(tag)
        try first.save()

        let second = try open(Trip.self)
        let history = try second.fetchHistory(Descriptor())
        #expect(
            history.map(\.line) == [
                "insert Note/1, insert Tag/1", "update Note/1 text+rank", "delete Note/1", "delete Tag/1",
            ])
        guard case .insert(_ as DefaultHistoryInsert<UntypedModel>)? = history[0].changes.first,
            case .update(let update as DefaultHistoryUpdate<UntypedModel>)? = history[1].changes.first,
            case .delete(let delete as DefaultHistoryDelete<UntypedModel>)? = history[2].changes.first
        else {
            Issue.record("not changes of removed models")
            return
        }
        #expect(update.updatedAttributeNames == ["text", "rank"])
        #expect(update.updatedAttributes.isEmpty)
        #expect(delete.tombstone["text"] as? String == "bye")
        #expect(delete.tombstone["rank"] as? Int64 == 8)
        #expect(delete.tombstone["mood"] as? String == "good")
        #expect(delete.changedPersistentIdentifier.entityName == "Note")
        #expect(try second.fetchHistory(.after(token)).map(\.line) == ["delete Tag/1"])
    }

    @Test func renamedAndRemovedAttributesAreReadable() throws {
        _ = try notes()
        let second = try open(Second.Note.self, First.Tag.self)
        let history = try second.fetchHistory(Descriptor())
        #expect(history[1].line == "update Note/1 body+rank")
        guard case .update(let update as DefaultHistoryUpdate<Second.Note>)? = history[1].changes.first,
            case .delete(let delete as DefaultHistoryDelete<Second.Note>)? = history[2].changes.first
        else {
            Issue.record("not changes of notes")
            return
        }
        #expect(update.containsAttribute(\.body))
        #expect(update.updatedAttributes as [PartialKeyPath<Second.Note>] == [\.body])
        #expect(delete.tombstone[\.body] as String? == "bye")
        // A removed entity, whose values have the types in the file.
        #expect(delete.tombstone["rank"] as? Int64 == 8)
        #expect(delete.tombstone["mood"] as? Mood == .good)
    }

    @Test func entityAddedByAnotherProcessIsReadable() throws {
        let first = try open(First.Tag.self)
        let other = try open(First.Tag.self, First.Note.self)
        let note = First.Note()
        note.text = "new"
        other.insert(note)
        try other.save()
        other.delete(note)
        try other.save()
        let history = try first.fetchHistory(Descriptor())
        #expect(history.map(\.line) == ["insert Note/1", "delete Note/1"])
        guard case .delete(let delete as DefaultHistoryDelete<UntypedModel>)? = history[1].changes.first else {
            Issue.record("not a change of a removed model")
            return
        }
        #expect(delete.tombstone["text"] as? String == "new")
        let notes = Descriptor(
            predicate: #Predicate { transaction in
                transaction.changes.contains { $0.changedPersistentIdentifier.entityName == "Note" }
            })
        #expect(try first.fetchHistoryCount(notes) == 2)
    }

    @Test func attributeAddedByAnotherProcessIsReadable() throws {
        let first = try open(First.Tag.self)
        let other = try open(Second.Tag.self)
        let tag = Second.Tag()
        other.insert(tag)
        try other.save()
        (tag.colour, tag.name) = ("red", "x")
        try other.save()
        #expect(try first.fetchHistory(Descriptor()).map(\.line) == ["insert Tag/1", "update Tag/1 name+colour"])
        #expect(try first.fetchHistory(Descriptor()).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func tombstonesPreserveEveryType(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Keepsake.self])
        let context = store.context()
        let signalling = Double(bitPattern: 0x7FF8_0000_0000_1234)
        let keepsake = Keepsake()
        keepsake.text = "a\0b"
        keepsake.real = signalling
        keepsake.zero = -0.0
        keepsake.data = Data([0, 1, 255])
        keepsake.uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        keepsake.list = ["x", "y"]
        keepsake.flag = true
        context.insert(keepsake)
        try context.save()
        context.delete(keepsake)
        try context.save()
        guard case .delete(let delete as DefaultHistoryDelete<Keepsake>)? = try store.history().last?.changes.first
        else {
            Issue.record("not a delete of a keepsake")
            return
        }
        let tombstone = delete.tombstone
        #expect(tombstone[\.text] as String? == "a\0b")
        #expect((tombstone[\.real] as Double?)?.bitPattern == signalling.bitPattern)
        #expect((tombstone[\.zero] as Double?)?.sign == .minus)
        #expect(tombstone[\.data] as Data? == Data([0, 1, 255]))
        #expect(tombstone[\.uuid] as UUID? == UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
        #expect(tombstone[\.list] as [String]? == ["x", "y"])
        #expect(tombstone[\.flag] as Bool?? == true)
        #expect(tombstone["flag"] is Bool)
        #expect((tombstone[\.missing] ?? nil) == nil)
        #expect(!tombstone.attributeNames.contains("missing"))
    }

    @Test(arguments: [true, false]) func historyIsReadableWithoutModelClasses(allowsSave: Bool) throws {
        let written = try TestStore(.file, [Trip.self])
        let context = written.context()
        let trip = Trip(name: "Rome", destination: "Italy", startDate: Date(timeIntervalSinceReferenceDate: 5))
        context.insert(trip)
        try context.save()
        context.delete(trip)
        try context.save()

        let schema = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(Schema(Trip.self)))
        let store = try DefaultStore(
            ModelConfiguration(schema: schema, url: written.url, allowsSave: allowsSave), migrationPlan: nil)
        let history = try store.fetchHistory(Descriptor())
        #expect(history.map(\.line) == ["insert Trip/1", "delete Trip/1"])
        guard case .delete(let delete as DefaultHistoryDelete<UntypedModel>)? = history.last?.changes.first else {
            Issue.record("not a change of a model without a class")
            return
        }
        #expect(delete.tombstone["name"] as? String == "Rome")
        #expect(delete.tombstone["startDate"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
    }

    @Test func updatesOfMoreAttributesThanOneMask() throws {
        let store = try TestStore(.file, [First.Tag.self])
        let context = store.context()
        context.insert(First.Tag())
        try context.save()
        let numbers = (1...150).map { "(1, \($0), 'extra\($0)', 0, 0, 0, 0)" }.joined(separator: ", ")
        try store.shell(
            """
            INSERT INTO chronicle_attribute(entity, number, name, present, preserved_inserts, preserved_updates, \
            preserved_deletes) VALUES \(numbers);
            INSERT INTO chronicle_change(kind, primary_key, attributes, old_value) VALUES
                (18, 1, 1 | (1 << 61), NULL), (18, 1, '2,1', NULL), (18, 1, '0,2305843009213693952,5', NULL),
                (18, 1, 1, NULL)
            """)
        #expect(
            try store.history().last?.changes.map(\.text) == [
                "update Tag/1 name+extra61", "update Tag/1 extra1+extra62", "update Tag/1 extra123+extra124+extra126",
                "update Tag/1 name",
            ])
    }
}

private enum Mood: String, Codable, Sendable { case good, bad }

private enum First {
    final class Note: PersistentModel {
        @Attribute(.preserveValueOnDeletion) var text: String = ""
        @Attribute(.preserveValueOnDeletion) var rank: Int = 0
        @Attribute(.preserveValueOnDeletion) var mood: Mood = .bad
        static let properties: PropertyMap<Note> = ["text": \.text, "rank": \.rank, "mood": \.mood]
        let persistentBackingData: any BackingData<Note>
        init(backingData: any BackingData<Note>) { persistentBackingData = backingData }
        init() { persistentBackingData = Note.createBackingData() }
    }

    final class Tag: PersistentModel {
        @Attribute var name: String = ""
        static let properties: PropertyMap<Tag> = ["name": \.name]
        let persistentBackingData: any BackingData<Tag>
        init(backingData: any BackingData<Tag>) { persistentBackingData = backingData }
        init() { persistentBackingData = Tag.createBackingData() }
    }
}

private enum Second {
    final class Note: PersistentModel {
        @Attribute(.preserveValueOnDeletion, originalName: "text") var body: String = ""
        @Attribute(.preserveValueOnDeletion) var mood: Mood = .bad
        static let properties: PropertyMap<Note> = ["body": \.body, "mood": \.mood]
        let persistentBackingData: any BackingData<Note>
        init(backingData: any BackingData<Note>) { persistentBackingData = backingData }
        init() { persistentBackingData = Note.createBackingData() }
    }

    final class Tag: PersistentModel {
        @Attribute var name: String = ""
        @Attribute var colour: String?
        static let properties: PropertyMap<Tag> = ["name": \.name, "colour": \.colour]
        let persistentBackingData: any BackingData<Tag>
        init(backingData: any BackingData<Tag>) { persistentBackingData = backingData }
        init() { persistentBackingData = Tag.createBackingData() }
    }
}

private final class Keepsake: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var text: String = ""
    @Attribute(.preserveValueOnDeletion) var real: Double = 0
    @Attribute(.preserveValueOnDeletion) var zero: Double = 0
    @Attribute(.preserveValueOnDeletion) var data: Data = Data()
    @Attribute(.preserveValueOnDeletion) var uuid: UUID = UUID()
    @Attribute(.preserveValueOnDeletion) var list: [String] = []
    @Attribute(.preserveValueOnDeletion) var flag: Bool?
    @Attribute(.preserveValueOnDeletion) var missing: Int?
    static let properties: PropertyMap<Keepsake> = [
        "text": \.text, "real": \.real, "zero": \.zero, "data": \.data, "uuid": \.uuid, "list": \.list,
        "flag": \.flag, "missing": \.missing,
    ]
    let persistentBackingData: any BackingData<Keepsake>
    init(backingData: any BackingData<Keepsake>) { persistentBackingData = backingData }
    init() { persistentBackingData = Keepsake.createBackingData() }
}
