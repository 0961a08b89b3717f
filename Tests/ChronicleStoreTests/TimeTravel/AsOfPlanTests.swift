import Chronicle
import ChronicleSQL
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Queries as of a position use the indexes of both tables, and compute no table before they are restricted.
@Suite struct AsOfPlanTests {
    private let store: DefaultStore
    private let container: ModelContainer

    init() throws {
        let test = try TestStore(
            .inMemory, [Journey.self, GuidedJourney.self, Traveler.self, Topic.self], preservesValues: true)
        container = test.container
        let context = ModelContext(container)
        let token = try context.currentHistoryToken()
        let journey = Journey(code: "c", title: "title")
        context.insert(journey)
        journey.traveler = Traveler(name: "name")
        journey.topics = [Topic(name: "name")]
        try context.save()
        journey.topics = []
        try context.save()
        let present = try #require(container.stores.first as? DefaultStore)
        store = try #require(try present.store(asOf: token) as? DefaultStore)
    }

    private func expectIndexes<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, lookup: DataStoreLookup? = nil, scans: Bool = false,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        try store.readRows { connection, past in
            let fetch = try FetchSQL(
                descriptor, lookup: lookup, schema: store.schema, storeIdentifier: store.identifier, past: past)
            let table = try store.layout.table(for: Model.self)
            for query in [
                fetch.select(SQLQuery(raw: table.selection), past: past), fetch.identifiers(past: past),
                fetch.count(past: past),
            ] {
                try expectIndexes(query.sql, connection, scans: scans, location)
            }
        }
    }

    private func expectIndexes(
        _ sql: String, _ connection: Connection, scans: Bool, _ location: SourceLocation
    ) throws {
        let statement = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(3)) }
        let plan = lines.joined(separator: "\n")
        #expect(plan.contains("SEARCH"), "\(plan)", sourceLocation: location)
        for word in ["MATERIALIZE", "AUTOMATIC"] {
            #expect(!plan.contains(word), "\(plan)", sourceLocation: location)
        }
        guard !scans else { return }
        let isScanned = lines.contains { $0.hasPrefix("SCAN m") || $0.hasPrefix("SCAN t") }
        #expect(!isScanned, "\(plan)", sourceLocation: location)
    }

    @Test func lookupsUseIndexes() throws {
        let identifier = PersistentIdentifier.Origin(storeIdentifier: store.identifier, entityName: "Journey")
            .identifier(1)
        let traveler = PersistentIdentifier.Origin(storeIdentifier: store.identifier, entityName: "Traveler")
            .identifier(1)
        let entity = try #require(store.schema.entity(for: Journey.self))
        let property = try #require(entity.propertiesByName["traveler"])
        try expectIndexes(FetchDescriptor<Journey>(), lookup: .identifiers([identifier]))
        try expectIndexes(FetchDescriptor<Journey>(), lookup: .references(property, to: [traveler]))
        try expectIndexes(FetchDescriptor<Journey>(predicate: #Predicate { $0.code == "c" }))
        try expectIndexes(FetchDescriptor<Journey>(predicate: #Predicate { $0.rating == 3 }))
    }

    @Test func relationshipsUseIndexes() throws {
        try expectIndexes(
            FetchDescriptor<Journey>(predicate: #Predicate { $0.traveler?.name == "name" }), scans: true)
        try expectIndexes(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.traveler?.name)]), scans: true)
        try expectIndexes(
            FetchDescriptor<Journey>(predicate: #Predicate { $0.topics.contains { $0.name == "name" } }), scans: true)
        try expectIndexes(
            FetchDescriptor<Traveler>(predicate: #Predicate { $0.journeys.count > 1 }), scans: true)
    }

    @Test func linksUseIndexes() throws {
        let links = try store.layout.linkTable(named: "Journey.topics").links
        let inverse = try #require(links.inverse)
        for keys in [1...1, 1...2] as [ClosedRange<Int64>] {
            try expectIndexes(Topic.self, links, links.property, of: "Journey", keys)
            try expectIndexes(Journey.self, links, inverse, of: "Topic", keys)
        }
    }

    private func expectIndexes<Model: PersistentModel>(
        _ type: Model.Type, _ links: Schema.Links, _ property: Schema.Property, of entityName: String,
        _ keys: ClosedRange<Int64>
    ) throws {
        let origin = PersistentIdentifier.Origin(storeIdentifier: store.identifier, entityName: entityName)
        let request = DataStoreLinksRequest<Model>(
            links: links, property: property, identifiers: Set(keys.map { origin.identifier($0) }),
            editingState: EditingState(id: UUID()))
        let table = try store.layout.table(for: type)
        try store.readRows { connection, past in
            let query = try store.linkedRows(request, table, past: past)
            try expectIndexes(query.sql, connection, scans: false, #_sourceLocation)
        }
    }
}
