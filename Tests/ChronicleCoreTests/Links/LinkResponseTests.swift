import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Responses with links are validated, and errors are thrown by the next call that can throw.
@Suite struct LinkResponseTests {
    private typealias Response = LinkResponseStore.Response
    private static let tags = PersistentIdentifier.Origin(storeIdentifier: "odd", entityName: "LinkTag")

    private static func row(_ identifier: PersistentIdentifier, _ values: [PropertyValue]? = nil) -> DefaultSnapshot {
        DefaultSnapshot(
            persistentIdentifier: identifier, values: values ?? [.text("tag"), .integer(1)], changed: PropertySet())
    }

    private static func response(_ rows: [DefaultSnapshot], _ destinations: [PersistentIdentifier]) -> Response {
        Response(rows: rows, destinations: destinations)
    }

    private static let invalidResponses: [(rule: String, kind: SwiftDataError, response: Response)] = [
        ("more than once", .invalidStoreResponse, response([row(tags.identifier(1)), row(tags.identifier(1))], [])),
        (
            "instead of LinkTag", .invalidStoreResponse,
            response([row(.Origin(storeIdentifier: "odd", entityName: "LinkPhoto").identifier(1))], [])
        ),
        (
            "of another store", .invalidStoreResponse,
            response([row(.Origin(storeIdentifier: "other", entityName: "LinkTag").identifier(1))], [])
        ),
        (
            "a row that the store did not return", .invalidStoreResponse,
            response([row(tags.identifier(1))], [tags.identifier(2)])
        ),
        ("a snapshot has 1 values", .invalidStoreResponse, response([row(tags.identifier(1), [.null])], [])),
        (
            "not a value of type", .undecodableValue,
            response([row(tags.identifier(1), [.text("tag"), .text("x")])], [])
        ),
    ]

    @Test(arguments: 0..<6) func invalidLinkResponsesThrow(_ index: Int) throws {
        let (rule, kind, response) = Self.invalidResponses[index]
        let script = LinkResponseStore.Script()
        let container = try ModelContainer(
            for: LinkItem.self, configurations: LinkResponseStore.Configuration(script: script))
        let context = ModelContext(container)
        let item = try #require(try context.fetch(FetchDescriptor<LinkItem>()).first)
        script.response.withLock { $0 = response }
        #expect(item.tags.isEmpty)
        let error = try failure { try context.save() }
        #expect(error == kind && error?.storeName == "odd")
        #expect(error?.detail?.contains(rule) == true, "\(error?.detail ?? "")")
        // The failure is not cached: the next read tries again.
        script.response.withLock { $0 = Self.response([Self.row(Self.tags.identifier(7))], [Self.tags.identifier(7)]) }
        #expect(item.tags.names == ["tag"])
        try context.save()
    }

    @Test func readErrorsAreReported() throws {
        let script = LinkResponseStore.Script()
        let container = try ModelContainer(
            for: LinkItem.self, configurations: LinkResponseStore.Configuration(script: script))
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

/// A store with one item whose links a test provides.
private final class LinkResponseStore: DataStore, DataStoreLinking {
    struct Response: Sendable {
        var rows: [DefaultSnapshot]
        var destinations: [PersistentIdentifier]
    }

    final class Script: IdentityHashable, Sendable {
        let response = Mutex<Response?>(nil)
    }

    struct Configuration: DataStoreConfiguration {
        typealias Store = LinkResponseStore
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
        guard let response = configuration.script.response.withLock({ $0 }) else { throw SwiftDataError.storeBusy }
        let owners = request.identifiers.map { ($0, response.destinations) }
        return DataStoreLinksResult(
            fetchedSnapshots: response.rows, destinations: Dictionary(uniqueKeysWithValues: owners))
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) -> DataStoreSaveChangesResult<DefaultSnapshot> {
        DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: [:])
    }
}
