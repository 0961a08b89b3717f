import Chronicle
import ChronicleSQL
import Testing

@testable import ChronicleSQLStore

/// A store in memory.
private final class MemoryStore: MetaValues, EntityCatalog, StoreTables {
    struct Attribute: CatalogAttribute, Equatable {
        let number: Int
        var name: String
        var type: String?
        var destination: String?
        var isPresent = true
        var preservation = Preservation()
    }

    struct Entity: CatalogEntity {
        let number: Int64
        let name: String
        var rootName: String { name }
        var attributes: [Attribute]
    }

    static let noun = "store"
    var texts: [MetaName: String] = [:]
    var recorded: [Entity] = []
    var definitions: [Schema.Entity] = []
    /// The rows for which ``exists(_:)`` returns `true`.
    var rows: [String] = []
    var models = Schema()

    var meta: MemoryStore { self }
    var catalog: MemoryStore { self }
    var schema: Schema { models }
    var dialect: any SQLDialect { PostgreSQLDialect() }

    func text(_ name: MetaName) -> String? { texts[name] }
    func set(_ name: MetaName, _ text: String) { texts[name] = text }
    func damaged(_ name: MetaName, _ detail: String, underlying: (any Error)?) -> any Error {
        SwiftDataError.damagedFile.with(detail: detail)
    }

    func entities() -> [Entity] { recorded }
    func kinds(of entity: Entity) -> [Int64] { [entity.number] }
    func definitionsByName() -> [String: Schema.Entity] {
        Dictionary(uniqueKeysWithValues: definitions.map { ($0.name, $0) })
    }
    func setDefinition(_ definition: Schema.Entity, of entity: Entity) {
        definitions = definitions.map { $0.name == entity.name ? definition : $0 }
    }
    func update(_ attribute: Attribute, of entity: Entity) {
        for index in recorded.indices where recorded[index].number == entity.number {
            recorded[index].attributes[attribute.number] = attribute
        }
    }

    func literal(_ text: String) -> String { "'\(text)'" }
    func folded(_ name: String) -> String { name }
    func hasTable(_ name: String) -> Bool { recorded.contains { $0.name == name } }
    func columns(of table: String) -> [String: StoredProperty] {
        let attributes = recorded.first { $0.name == table }?.attributes ?? []
        return Dictionary(
            uniqueKeysWithValues: attributes.filter(\.isPresent).map {
                ($0.name, StoredProperty(name: $0.name, place: .column, storage: .integer, destination: nil))
            })
    }
    func references(_ table: String, from owner: String, to destination: String) -> Bool { false }
    func exists(_ rows: String) -> Bool { self.rows.contains(rows) }
    func isInexact(_ column: String, limit: Int64) -> String { "inexact" }
    func forEachValue(
        _ column: String, _ rows: String, as property: Schema.Property, _ body: (PropertyValue) throws -> Void
    ) {}
}

@Suite("Changes of the schema of a store") struct StoreTablesTests {
    private let store = MemoryStore()

    private func schema(_ property: String, _ type: String, _ storage: String, original: String? = nil) throws -> Schema
    {
        let originalName = original.map { #","originalName":"\#($0)""# } ?? ""
        return Schema(entities: [
            try Schema.Entity(
                json: #"{"name":"Trip","properties":[{"kind":"attribute","name":"\#(property)","options":[],"#
                    + #""type":"\#(type)","storage":"\#(storage)","isOptional":true\#(originalName)}],"#
                    + #""uniquenessConstraints":[],"indices":[]}"#)
        ])
    }

    /// Plans the change of a store with a property `a` of the type Int.
    private func plan(_ schema: Schema) throws -> SchemaPlan {
        store.definitions = try self.schema("a", "Int", "integer").entities
        store.recorded = [
            MemoryStore.Entity(number: 1, name: "Trip", attributes: [.init(number: 0, name: "a", type: "Int")])
        ]
        store.models = schema
        let schemas = KnownSchemas(
            [:], opening: schema, key: schema.declarationKey(nil), program: "app", wasComplete: false)
        return try store.plan(schemas, stage: nil, baseline: nil)
    }

    @Test func valuesWithAnotherMeaningAreAnError() throws {
        let plan = try plan(schema("a", "String", "text"))
        #expect(try store.checkDeclarations(plan).isEmpty)
        store.rows = [#""Trip" WHERE "a" IS NOT NULL"#]
        let error = #expect(throws: SwiftDataError.backwardMigration) { try store.checkDeclarations(plan) }
        #expect(error?.detail?.hasPrefix("the store has values of Int (integer)") == true)
    }

    @Test func integersBecomeNumbersIfTheyAreExact() throws {
        let plan = try plan(schema("a", "Double", "real"))
        let conversions = try store.checkDeclarations(plan)
        #expect(conversions.map(\.column) == ["a"])
        #expect(conversions.map(\.form) == [.real])
        store.rows = [#""Trip" WHERE "a" IS NOT NULL AND inexact"#]
        #expect(throws: SwiftDataError.backwardMigration) { try store.checkDeclarations(plan) }
    }

    @Test func renamedAttributeKeepsItsNumber() throws {
        let schema = try schema("b", "Int", "integer", original: "a")
        let plan = try plan(schema)
        let table = try #require(plan.tables["Trip"])
        let numbers = try store.renamedNumbers(plan, schema)
        try store.renameAttributes(of: "Trip", table, numbers["Trip"] ?? [:])
        #expect(store.recorded.first?.attributes == [.init(number: 0, name: "b", type: "Int")])
    }

    @Test func descriptionIsReadAgain() throws {
        _ = try store.describe(plan(schema("c", "Int", "integer")))
        let stored = try store.storedEntities(store.entities(), columns: store.columns)
        #expect(stored["Trip"]?.live.map(\.name) == ["c"])
        #expect(stored["Trip"]?.removed.map(\.name) == ["a"])
        store.texts[.properties(1)] = "{"
        #expect(throws: SwiftDataError.damagedFile) {
            try store.storedEntities(store.entities(), columns: store.columns)
        }
    }

    @Test func laterVersionIsAnError() throws {
        let (first, second) = (Schema.Version(1, 0, 0), Schema.Version(2, 0, 0))
        #expect(try StoreVersion(store) == nil)
        try StoreVersion(second, of: store.models).store(store)
        #expect(try StoreVersion(store)?.identifier == second)
        #expect(throws: SwiftDataError.newerSchemaVersion) {
            try StoreVersion(first, of: store.models).requireNotLater(store)
        }
        #expect(throws: SwiftDataError.loadIssueModelContainer) {
            try StoreVersion(Schema.Version(3, 0, 0), of: store.models).requireCurrent(store, storeIdentifier: "A")
        }
        store.texts[.schemaVersion] = "x"
        #expect(throws: SwiftDataError.damagedFile) { try StoreVersion(store) }
    }
}
