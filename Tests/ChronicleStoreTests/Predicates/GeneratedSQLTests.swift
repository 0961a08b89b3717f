import Chronicle
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The generated SQL of many queries, text and values, must not change by accident: a change to it may prevent SQLite
/// from using an index, and programs may have indexes on the expressions.
@Suite("Predicates: generated SQL in files") struct GeneratedSQLTests {
    /// Set this environment variable to a folder to write the files. Read the difference before committing it.
    private static let folder = ProcessInfo.processInfo.environment["CHRONICLE_WRITE_SQL"]
    private static let files = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Generated")

    private func expect(_ name: String, _ body: (SQLRecorder) throws -> Void) throws {
        let recorder = SQLRecorder()
        try SQLRecorder.$current.withValue(recorder) { try body(recorder) }
        if let folder = Self.folder {
            try Data(recorder.text.utf8).write(to: URL(filePath: folder).appending(path: "\(name).sql"))
            return
        }
        let expected = try String(contentsOf: Self.files.appending(path: "\(name).sql"), encoding: .utf8)
        guard expected != recorder.text else { return }
        let lines = zip(expected.split(separator: "\n"), recorder.text.split(separator: "\n"))
        let difference = lines.first { $0 != $1 }
        Issue.record("\(name).sql: expected \(difference?.0 ?? "another length"), found \(difference?.1 ?? "")")
    }

    @Test func predicates() throws {
        try expect("predicates") { recorder in
            let tests = DifferentialTests()
            recorder.begin("equality")
            try tests.equality(.inMemory)
            recorder.begin("booleans")
            try tests.booleans(.inMemory)
            recorder.begin("numbers")
            try tests.numbers(.inMemory)
            recorder.begin("arithmetic")
            try tests.arithmetic(.inMemory)
            recorder.begin("optionals")
            try tests.optionals(.inMemory)
            recorder.begin("text")
            try tests.text(.inMemory)
            recorder.begin("membership")
            try tests.membership(.inMemory)
            recorder.begin("types")
            try tests.types(.inMemory)
        }
    }

    @Test func relationships() throws {
        try expect("relationships") { recorder in
            let tests = RelationshipPredicateTests()
            recorder.begin("to one")
            try tests.toOne(.inMemory)
            recorder.begin("to many")
            try tests.toMany(.inMemory)
            let links = LinkPredicateTests()
            recorder.begin("many to many")
            try links.manyToManyPredicates(.inMemory)
            recorder.begin("links without inverse")
            try links.predicatesOnLinksWithoutInverse(.inMemory)
            recorder.begin("links to the same model")
            try links.predicatesOnSelfLinks(.inMemory)
        }
    }

    @Test func members() throws {
        try expect("members") { recorder in
            recorder.begin("members")
            try MemberPredicateTests().predicatesAgreeWithFoundation(.inMemory)
            recorder.begin("sorts")
            try MemberPredicateTests().sortsAgreeWithFoundation(.inMemory)
        }
    }

    @Test func ordinaryPredicates() throws {
        try expect("ordinary") { recorder in
            let tests = OrdinaryPredicateTests()
            recorder.begin("search")
            try tests.search(.inMemory)
            recorder.begin("others")
            try tests.optionalToMany(.inMemory)
            try tests.toOne(.inMemory)
            try tests.values(.inMemory)
        }
    }

    @Test func randomPredicates() throws {
        try expect("random") { recorder in
            let store = try SightStore()
            for seed in [1, 2, 3] as [UInt64] {
                recorder.begin("seed \(seed)")
                var generator = PredicateGenerator(seed: seed)
                for _ in 1...60 { try store.agree(generator.predicate()) }
            }
        }
    }

    @Test func history() throws {
        try expect("history") { recorder in
            let tests = try HistoryPredicateTests()
            recorder.begin("attributes")
            try tests.attributes()
            recorder.begin("changes")
            try tests.changes()
            recorder.begin("tokens")
            try tests.positions()
        }
    }

    @Test func longLists() throws {
        try expect("lists") { recorder in
            let store = try SightStore()
            let names = (0..<300).map { "\"name\" \\\n\u{1} \($0) é 🏰" } + ["Tower", "Br\0idge%_"]
            let (ranks, costs) = (Array(0..<300), (0..<300).map { Double($0) * 0.1 } + [.infinity, -0.0, .nan])
            let images = (0..<300).map { Data("\($0)".utf8) }
            let scores: [Int?] = (0..<300).map { $0 == 6 ? nil : $0 }
            try store.agree(#Predicate<Sight> { names.contains($0.name) })
            try store.agree(#Predicate<Sight> { !ranks.contains($0.rank) })
            try store.agree(#Predicate<Sight> { costs.contains($0.cost) })
            try store.agree(#Predicate<Sight> { images.contains($0.image) })
            try store.agree(#Predicate<Sight> { !scores.contains($0.score) })
            let many = (0..<10_001).map { Data("\($0)".utf8) }
            try store.agree(#Predicate<Sight> { many.contains($0.image) })
        }
    }

    // MARK: Statements

    /// Identifiers of a store with a fixed name.
    private func identifiers(_ entityName: String, _ keys: Int64...) -> Set<PersistentIdentifier> {
        let origin = PersistentIdentifier.Origin(
            storeIdentifier: "S", entityName: entityName,
            rootEntityName: vehicleNames.contains(entityName) ? "Vehicle" : entityName)
        return Set(keys.map { origin.identifier($0) })
    }

    private let vehicleNames: Set = ["Vehicle", "Car", "Taxi", "Truck"]

    private func record<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, lookup: DataStoreLookup? = nil,
        excluding excluded: Set<PersistentIdentifier> = [], includeSubclasses: Bool = true, _ schema: Schema,
        past: PastTables? = nil
    ) throws {
        let recorder = try #require(SQLRecorder.current)
        let fetch = try FetchSQL(
            descriptor, lookup: lookup, excluding: excluded, includeSubclasses: includeSubclasses, schema: schema,
            storeIdentifier: "S", past: past)
        recorder.record(fetch.select("t.*", past: past))
        recorder.record(fetch.count(past: past))
        recorder.record(fetch.identifiers(past: past))
        guard past == nil else { return }
        recorder.record(fetch.delete)
    }

    @Test func statements() throws {
        let schema = Schema(Sight.self, Atlas.self)
        let entity = try #require(schema.entity(for: Sight.self))
        let region = try #require(entity.property(named: "region"))
        try expect("statements") { recorder in
            recorder.begin("limits")
            var descriptor = FetchDescriptor<Sight>(predicate: #Predicate { $0.region?.name == "x" && $0.rank > 2 })
            for (limit, offset) in [(nil, nil), (3, nil), (nil, 2), (3, 2), (0, 0), (-1, -1)] as [(Int?, Int?)] {
                (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
                try record(descriptor, schema)
            }
            recorder.begin("excluded identifiers")
            for keys in [identifiers("Sight", 7), identifiers("Sight", 7).union(identifiers("Region", 7))] {
                try record(FetchDescriptor<Sight>(), excluding: keys, schema)
                try record(descriptor, excluding: keys, schema)
            }
            recorder.begin("lookups")
            let lookups: [DataStoreLookup] = [
                .identifiers(identifiers("Sight", 7)), .identifiers([]), .identifiers(identifiers("Region", 7)),
                .references(region, to: identifiers("Region", 7)), .references(region, to: []),
                .values([entity.property(named: "name")!, region], in: [[.text("x"), .integer(1)]]),
                .values([entity.property(named: "name")!], in: []),
            ]
            for lookup in lookups {
                try record(FetchDescriptor<Sight>(), lookup: lookup, schema)
                try record(descriptor, lookup: lookup, schema)
            }
            recorder.begin("orders")
            for order in [SortOrder.forward, .reverse] {
                try record(
                    FetchDescriptor<Sight>(sortBy: [
                        SortDescriptor(\.note, order: order), SortDescriptor(\.note),
                        SortDescriptor(\.price, order: order),
                        SortDescriptor(\.region?.name, order: order), SortDescriptor(\.cost, order: order),
                    ]), schema)
                try record(
                    FetchDescriptor<Sight>(
                        predicate: #Predicate { $0.region?.code == 1 },
                        sortBy: [SortDescriptor(\.persistentModelID, order: order), SortDescriptor(\.name)]), schema)
            }
        }
    }

    @Test func hierarchies() throws {
        let schema = Schema(vehicleModels)
        let owner = identifiers("VehicleOwner", 3).first!
        try expect("hierarchies") { recorder in
            for includeSubclasses in [true, false] {
                recorder.begin(includeSubclasses ? "with subclasses" : "without subclasses")
                try record(FetchDescriptor<Vehicle>(), includeSubclasses: includeSubclasses, schema)
                try record(FetchDescriptor<Car>(), includeSubclasses: includeSubclasses, schema)
                try record(FetchDescriptor<Taxi>(), includeSubclasses: includeSubclasses, schema)
                try record(
                    FetchDescriptor<Car>(
                        predicate: #Predicate { $0.owner?.persistentModelID == owner || $0.seats > 4 }),
                    includeSubclasses: includeSubclasses, schema)
            }
            recorder.begin("casts")
            try record(FetchDescriptor<Vehicle>(predicate: #Predicate { $0 is Car }), schema)
            try record(FetchDescriptor<Vehicle>(predicate: #Predicate { !($0 is Truck) }), schema)
            try record(FetchDescriptor<Vehicle>(predicate: #Predicate { ($0 as? Car)?.seats == 5 }), schema)
            try record(FetchDescriptor<Vehicle>(predicate: #Predicate { ($0 as? Car)?.owner?.name == "x" }), schema)
            try record(FetchDescriptor<VehiclePart>(predicate: #Predicate { $0.vehicle is Taxi }), schema)
            try record(
                FetchDescriptor<VehiclePart>(predicate: #Predicate { ($0.vehicle as? Car)?.owner != nil }), schema)
            try record(
                FetchDescriptor<Vehicle>(predicate: #Predicate { $0.labels.contains { $0.text == "x" } }), schema)
            try record(FetchDescriptor<Taxi>(predicate: #Predicate { $0.languages.count > $0.parts.count }), schema)
            try record(
                FetchDescriptor<VehicleOwner>(predicate: #Predicate { $0.cars.contains { $0.seats > 2 } }), schema)
        }
    }

    @Test func updates() throws {
        let schema = Schema(Sight.self, Atlas.self)
        let updates: [PropertyUpdate<Sight>] = [
            PropertyUpdate(\.rank, to: 7), PropertyUpdate(\.rank, to: \.rank + 1),
            PropertyUpdate(\.note, to: nil), PropertyUpdate(\.note, to: #Expression { $0.name }),
            PropertyUpdate(\.cost, to: \.cost * 2), PropertyUpdate(\.cost, to: .nan),
            PropertyUpdate(\.cost, to: #Expression { $0.cost / $0.cost }),
            PropertyUpdate(\.discount, to: #Expression { $0.discount ?? $0.cost }),
            PropertyUpdate(\.score, to: #Expression { $0.rank * 2 }),
            PropertyUpdate(\.score, to: #Expression { $0.score }),
            PropertyUpdate(\.name, to: #Expression { $0.rank > 2 ? $0.name : "small" }),
            PropertyUpdate(\.isOpen, to: #Expression { $0.rank > 2 }),
            PropertyUpdate(\.rank, to: #Expression { $0.name.count / $0.rank }),
            PropertyUpdate(\.rank, to: #Expression { $0.region?.code ?? 0 }),
            PropertyUpdate(\.rank, to: #Expression { $0.visits.count }),
            PropertyUpdate(\.tags, to: ["a"]),
        ]
        try expect("updates") { recorder in
            for update in updates {
                let request = DataStoreBatchUpdateRequest<Sight>(
                    predicate: #Predicate { $0.rank > 2 }, updates: [update], editingState: EditingState(id: UUID()))
                do {
                    let values = try request.values(in: schema)
                    let fetch = try FetchSQL(
                        FetchDescriptor(predicate: request.predicate), schema: schema, storeIdentifier: "S")
                    recorder.record(try fetch.update(values))
                } catch { recorder.record(error) }
            }
        }
    }

    @Test func earlierStates() throws {
        let schema = Schema(Sight.self, Atlas.self)
        var past = PastTables(unknowns: PastUnknowns(storeIdentifier: "S", position: 7))
        func table(_ name: String) throws -> PastTable {
            let properties = try #require(schema.entitiesByName[name]).storedProperties
            let columns = properties.enumerated().map { index, property in
                PastTable.Column(number: index, name: property.name, type: "", collation: nil, defaultValue: .null)
            }
            return PastTable(
                name: name, present: "main.\"\(name)\"", temporary: "temp.\"\(name)\"", columns: columns,
                changed: SQLRowSet("changed_\(name)"))
        }
        try expect("earlier") { recorder in
            for name in ["Region", "Sight", "Visit"] {
                recorder.begin(name)
                past.tables[name] = try table(name)
                if name == "Sight" { past.tables[name]?.addIncomplete("rank") }
                for predicate in [
                    #Predicate<Sight> { $0.rank == 7 }, #Predicate<Sight> { $0.region?.name == "x" },
                    #Predicate<Sight> { $0.visits.count == 2 },
                    #Predicate<Sight> { $0.visits.contains { $0.stars > 2 } },
                ] {
                    try record(
                        FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]), schema, past: past)
                    try record(
                        FetchDescriptor(predicate: predicate), excluding: identifiers("Sight", 7), schema, past: past)
                }
            }
        }
    }
}
