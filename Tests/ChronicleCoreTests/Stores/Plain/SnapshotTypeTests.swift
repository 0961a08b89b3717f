import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Snapshot types with only the requirements of SwiftData.
@Suite struct SnapshotTypeTests {
    private typealias Memory = EncodedStore<NoteSnapshot>.Memory
    private let memory = Memory()

    private func context() throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: Note.self, configurations: EncodedStore<NoteSnapshot>.Configuration(memory)))
    }

    @Test func allValuesAreKept() throws {
        let context = try context()
        let (a, b) = (Note("a"), Note("b"))
        (a.number, a.score, a.kind, a.when) = (Int64.max, -0.0, .done, Date(timeIntervalSinceReferenceDate: 0.1))
        (a.place, a.data, a.identity) = (Note.Place(city: "Vík", height: 7), Data([0, 255]), UUID())
        b.score = .nan
        (b.parent, b.related) = (a, [a, b])
        context.insert(b)
        try context.save()

        let reader = try self.context()
        let notes = try reader.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Note.text)]))
        let (first, second) = (try #require(notes.first), try #require(notes.last))
        #expect(first.number == .max && first.score == 0 && first.score.sign == .minus && first.kind == .done)
        #expect(first.when == a.when && first.place == a.place && first.data == a.data && first.identity == a.identity)
        #expect(second.number == nil && second.score.isNaN && second.kind == .open && second.place == nil)
        #expect(second.parent === first && first.children == [second])
        #expect(Set(second.related.map(\.text)) == ["a", "b"] && first.related.isEmpty)
        let done = Note.Kind.done
        #expect(try reader.fetchCount(FetchDescriptor(predicate: #Predicate<Note> { $0.kind == done })) == 1)
    }

    @Test func changesAndDeletesAreSaved() throws {
        let context = try context()
        let (a, b) = (Note("a"), Note("b"))
        b.related = [a]
        context.insert(a)
        context.insert(b)
        try context.save()
        (a.text, a.parent) = ("c", b)
        b.related = []
        try context.save()
        let reader = try self.context()
        let notes = try reader.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Note.text)]))
        #expect(notes.map(\.text) == ["b", "c"])
        #expect(notes[1].parent === notes[0] && notes[0].related.isEmpty)
        reader.delete(notes[0])
        try reader.save()
        let rest = try self.context().fetch(FetchDescriptor<Note>())
        #expect(rest.map(\.text) == ["c"] && rest[0].parent == nil)
    }

    /// The store returns what it has kept under the unique value, and the context writes the row again.
    @Test func conflictsAreWrittenFromTheRow() throws {
        let context = try context()
        let note = Note("a")
        note.number = 1
        context.insert(note)
        try context.save()
        memory.change { $0.rejectsInserts = true }
        let other = Note("a")
        other.score = 2
        context.insert(other)
        try context.save()
        let rows = try self.context().fetch(FetchDescriptor<Note>())
        #expect(rows.count == 1 && rows[0].score == 2)
    }

    @Test func invalidSnapshotsAreReported() throws {
        let context = try context()
        context.insert(Note("a"))
        SnapshotFailure.$isActive.withValue(true) {
            #expect(throws: SnapshotFailure.self) { try context.save() }
        }
        #expect(memory.now.rows.isEmpty && context.hasChanges)
        try context.save()
        func read(_ change: (inout [String: Any]) -> Void) throws -> SwiftDataError? {
            try memory.change { content in
                for (identifier, data) in content.rows {
                    var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
                    change(&object)
                    content.rows[identifier] = try JSONSerialization.data(withJSONObject: object)
                }
            }
            return try failure { try self.context().fetch(FetchDescriptor<Note>()) }
        }
        #expect(try read { $0["score"] = nil } == nil, "the attribute has a default value")
        let error = try read { $0["kind"] = 7 }
        #expect(error == .undecodableValue && error?.propertyName == "kind" && error?.entityName == "Note")
        #expect(try read { $0["kind"] = 1 } == nil)
    }

    @Test func valuesHaveAStoredForm() throws {
        let schema = Schema(Note.self)
        let context = try context()
        let note = Note("a")
        context.insert(note)
        _ = note.persistentModelID
        var related: [PersistentIdentifier: any BackingData] = [:]
        let snapshot = try NoteSnapshot(from: note.persistentBackingData, relatedBackingDatas: &related)
        let row = try snapshot.row(in: schema)
        let entity = try #require(schema.entity(for: Note.self))
        #expect(row.count == entity.storedProperties.count + 1)
        #expect(row[try #require(entity.propertiesByName["text"]).slot] == .text("a"))
        #expect(row.last == .references([]))
        let other = try DefaultSnapshot(from: note.persistentBackingData, relatedBackingDatas: &related)
        #expect(Array(row.dropLast()) == other.values)
        #expect(try other.row(in: schema) == DataStoreRow(other.values))
    }
}

private enum SnapshotFailure: Error {
    case failed

    @TaskLocal static var isActive = false
}

@Model private final class Note {
    enum Kind: Int, Codable { case open, done }

    struct Place: Codable, Equatable, Sendable {
        var city: String
        var height: Int
    }

    @Attribute(.unique) var text: String
    var number: Int64?
    var score = 1.5
    var kind = Kind.open
    var when = Date(timeIntervalSinceReferenceDate: 0)
    var place: Place?
    var data = Data()
    var identity: UUID?
    var parent: Note?
    @Relationship(inverse: \Note.parent) var children: [Note] = []
    var related: [Note] = []

    init(_ text: String) { self.text = text }
}

private struct NoteSnapshot: DataStoreSnapshot {
    let persistentIdentifier: PersistentIdentifier
    var text: String
    var number: Int64?
    var score: Double?
    var kind: Int
    var when: Date
    var place: Note.Place?
    var data: Data
    var identity: UUID?
    var parent: PersistentIdentifier?
    var related: [PersistentIdentifier]

    init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) throws {
        guard !SnapshotFailure.isActive, let identifier = backingData.persistentModelID,
            let note = backingData as? any BackingData<Note>
        else { throw SnapshotFailure.failed }
        persistentIdentifier = identifier
        text = note.getValue(forKey: \.text)
        number = note.getValue(forKey: \.number)
        score = note.getValue(forKey: \.score)
        kind = note.getValue(forKey: \.kind).rawValue
        when = note.getValue(forKey: \.when)
        place = note.getValue(forKey: \.place)
        data = note.getValue(forKey: \.data)
        identity = note.getValue(forKey: \.identity)
        parent = note.getValue(forKey: \.parent)?.persistentModelID
        related = note.getValue(forKey: \.related).map(\.persistentModelID)
    }

    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> NoteSnapshot {
        var copy = NoteSnapshot(self, persistentIdentifier)
        copy.parent = parent.map { remappedIdentifiers?[$0] ?? $0 }
        copy.related = related.map { remappedIdentifiers?[$0] ?? $0 }
        return copy
    }

    private init(_ other: NoteSnapshot, _ identifier: PersistentIdentifier) {
        persistentIdentifier = identifier
        (text, number, score, kind, when) = (other.text, other.number, other.score, other.kind, other.when)
        (place, data, identity) = (other.place, other.data, other.identity)
        (parent, related) = (other.parent, other.related)
    }
}

/// A store that keeps the JSON of its snapshots.
private final class EncodedStore<Snapshot: DataStoreSnapshot>: DataStore {
    struct Configuration: DataStoreConfiguration {
        typealias Store = EncodedStore<Snapshot>
        let name = "encoded"
        var schema: Schema?
        let memory: Memory

        init(_ memory: Memory) { self.memory = memory }

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.memory === rhs.memory }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    final class Memory: Sendable {
        struct Content: Sendable {
            var rows: [PersistentIdentifier: Data] = [:]
            var rejectsInserts = false
        }

        private let content = Mutex(Content())

        var now: Content { content.withLock { $0 } }

        func change<Result: Sendable>(_ body: (inout Content) throws -> Result) rethrows -> Result {
            try content.withLock { try body(&$0) }
        }
    }

    let configuration: Configuration
    let schema: Schema
    let identifier = "encoded"

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        schema = try configuration.validatedSchema()
        self.configuration = configuration
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, Snapshot> {
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let rows = try configuration.memory.now.rows.sorted { $0.key < $1.key }
            .map { try JSONCoder.decode(Snapshot.self, $0.value) }
        return DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: Array(
                rows.dropFirst(request.descriptor.fetchOffset ?? 0)
                    .prefix(request.descriptor.fetchLimit ?? .max)))
    }

    func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot> {
        try configuration.memory.change { content in
            if content.rejectsInserts, !request.inserted.isEmpty { throw SwiftDataError.uniquenessViolation }
            var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
            for (index, snapshot) in request.inserted.enumerated() {
                remapped[snapshot.persistentIdentifier] = try .identifier(
                    for: identifier, entityName: snapshot.persistentIdentifier.entityName,
                    primaryKey: content.rows.count + index + 1)
            }
            for snapshot in request.inserted + request.updated {
                let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
                content.rows[identifier] = try JSONCoder.encode(
                    snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped))
            }
            for snapshot in request.deleted { content.rows[snapshot.persistentIdentifier] = nil }
            return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
        }
    }
}

private enum JSONCoder {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: data)
    }
}
