import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// What a store answers about links is checked, and errors come out where something can throw.
@Suite struct LinkResponseTests {
    private typealias Answer = OddStore.Answer
    private static let tags = PersistentIdentifier.Origin(storeIdentifier: "odd", entityName: "LinkTag")

    private static func row(_ identifier: PersistentIdentifier, _ values: [PropertyValue]? = nil) -> DefaultSnapshot {
        DefaultSnapshot(
            persistentIdentifier: identifier, values: values ?? [.text("tag"), .integer(1)], changed: PropertySet())
    }

    private static func answer(_ rows: [DefaultSnapshot], _ destinations: [PersistentIdentifier]) -> Answer {
        Answer(rows: rows, destinations: destinations)
    }

    private static let odd: [(rule: String, kind: SwiftDataError, answer: Answer)] = [
        ("more than once", .invalidStoreResponse, answer([row(tags.identifier(1)), row(tags.identifier(1))], [])),
        (
            "instead of LinkTag", .invalidStoreResponse,
            answer([row(.Origin(storeIdentifier: "odd", entityName: "LinkPhoto").identifier(1))], [])
        ),
        (
            "of another store", .invalidStoreResponse,
            answer([row(.Origin(storeIdentifier: "other", entityName: "LinkTag").identifier(1))], [])
        ),
        (
            "a row that the store did not return", .invalidStoreResponse,
            answer([row(tags.identifier(1))], [tags.identifier(2)])
        ),
        ("a snapshot has 1 values", .invalidStoreResponse, answer([row(tags.identifier(1), [.null])], [])),
        ("not a value of type", .undecodableValue, answer([row(tags.identifier(1), [.text("tag"), .text("x")])], [])),
    ]

    @Test(arguments: 0..<6) func oddAnswersAreErrors(_ index: Int) throws {
        let (rule, kind, answer) = Self.odd[index]
        let script = OddStore.Script()
        let container = try ModelContainer(for: LinkItem.self, configurations: OddStore.Configuration(script: script))
        let context = ModelContext(container)
        let item = try #require(try context.fetch(FetchDescriptor<LinkItem>()).first)
        script.answer.withLock { $0 = answer }
        #expect(item.tags.isEmpty)
        let error = try failure { try context.save() }
        #expect(error == kind && error?.storeName == "odd")
        #expect(error?.detail?.contains(rule) == true, "\(error?.detail ?? "")")
        // Not remembered: the next read tries again.
        script.answer.withLock { $0 = Self.answer([Self.row(Self.tags.identifier(7))], [Self.tags.identifier(7)]) }
        #expect(item.tags.names == ["tag"])
        try context.save()
    }

    @Test func aStoreThatCannotReadSaysSo() throws {
        let script = OddStore.Script()
        let container = try ModelContainer(for: LinkItem.self, configurations: OddStore.Configuration(script: script))
        let context = ModelContext(container)
        let item = try #require(try context.fetch(FetchDescriptor<LinkItem>()).first)
        #expect(item.tags.isEmpty)
        let error = try failure { try context.fetch(FetchDescriptor<LinkItem>()) }
        #expect(error == .storeBusy && error?.storeName == "odd")
        var descriptor = FetchDescriptor<LinkItem>()
        descriptor.relationshipKeyPathsForPrefetching = [\.tags]
        #expect(throws: SwiftDataError.storeBusy) { try context.fetch(descriptor) }
    }
}

/// A store with one item, that answers about its links what a test says.
private final class OddStore: DataStore, DataStoreLinking {
    struct Answer: Sendable {
        var rows: [DefaultSnapshot]
        var destinations: [PersistentIdentifier]
    }

    final class Script: IdentityHashable, Sendable {
        let answer = Mutex<Answer?>(nil)
    }

    struct Configuration: DataStoreConfiguration {
        typealias Store = OddStore
        let name = "odd"
        var schema: Schema?
        let script: Script
    }

    typealias Snapshot = DefaultSnapshot
    let configuration: Configuration
    let schema: Schema
    let identifier = "odd"

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        (self.configuration, self.schema) = (configuration, schema)
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let item = PersistentIdentifier.Origin(storeIdentifier: identifier, entityName: "LinkItem").identifier(1)
        let row = DefaultSnapshot(
            persistentIdentifier: item, values: [.text("item"), .integer(0)], changed: PropertySet())
        return DataStoreFetchResult(
            descriptor: request.descriptor, fetchedSnapshots: Model.self == LinkItem.self ? [row] : [])
    }

    func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
        guard let answer = configuration.script.answer.withLock({ $0 }) else { throw SwiftDataError.storeBusy }
        let owners = request.identifiers.map { ($0, answer.destinations) }
        return DataStoreLinksResult(
            fetchedSnapshots: answer.rows, destinations: Dictionary(uniqueKeysWithValues: owners))
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
        DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: [:])
    }
}
