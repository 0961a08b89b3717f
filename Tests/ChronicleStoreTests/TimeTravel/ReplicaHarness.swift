import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// A source of random changes, and the contents of stores to compare.
struct ReplicaHarness {
    static let models: [any PersistentModel.Type] =
        vehicleModels + [
            LinkItem.self, LinkTag.self, LinkPhoto.self, GraphNode.self, GraphGroup.self, ReplicatedValues.self,
        ]

    let source: TestStore
    var random: SplitMix
    private var number = 0

    init(_ kind: StoreKind, seed: Int) throws {
        source = try TestStore(kind, Self.models, preservesValues: true)
        random = TestSeed.generator(seed)
    }

    // MARK: Exports

    static func export(
        _ store: TestStore, startingAt start: HistoryStart<DefaultHistoryToken> = .beginning,
        through end: DefaultHistoryToken? = nil
    ) throws -> Data {
        var data = Data()
        try store.container.exportHistory(startingAt: start, through: end) { data.append($0) }
        return data
    }

    @discardableResult
    static func replay(_ data: Data, to store: TestStore, partSize: Int = 1_000) throws -> Int {
        var rest = data
        return try store.container.replayHistory {
            defer { rest = rest.dropFirst(partSize) }
            return rest.isEmpty ? nil : Data(rest.prefix(partSize))
        }
    }

    /// The lines of an export, each with its line break.
    static func lines(_ data: Data) -> [Data] {
        data.split(separator: UInt8(ascii: "\n")).map { Data($0) + Data("\n".utf8) }
    }

    /// Returns an export with another text, and with the checksums of the changed lines.
    static func replacing(_ old: String, with new: String, in export: Data) -> Data {
        var result = Data()
        for line in lines(export) {
            var text = String(decoding: line, as: UTF8.self).replacing(old, with: new)
            if text.hasPrefix(#"{"end""#) {
                // FNV-1a, as in `HistoryExportChecksum`.
                let hash = result.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
                text.replace(#/"checksum":"[0-9a-f]+"/#, with: #""checksum":"\#(String(hash, radix: 16))""#)
            }
            result += Data(text.utf8)
        }
        return result
    }

    /// Every row of the tables of models and links, with the storage classes and the bytes of the values.
    static func contents(_ store: TestStore) throws -> [String] { try contents(store.store) }

    static func contents(_ store: DefaultStore) throws -> [String] {
        try store.database.read { connection in
            func rows(_ sql: String) throws -> [String] {
                let statement = try connection.prepare(sql)
                var rows: [String] = []
                while try statement.step() {
                    rows.append((0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|"))
                }
                return rows
            }
            let tables = try rows(
                """
                SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'chronicle_%' \
                AND name NOT LIKE 'sqlite_%' ORDER BY name
                """)
            return try tables.flatMap { table in
                let columns = try rows("SELECT name FROM pragma_table_info('\(table)') ORDER BY name")
                let values = columns.map { "typeof(\"\($0)\") || ':' || ifnull(hex(CAST(\"\($0)\" AS BLOB)), '')" }
                return try rows("SELECT \(values.joined(separator: ", ")) FROM \"\(table)\"").sorted()
                    .map { "\(table) \($0)" }
            }
        }
    }

    // MARK: Changes

    /// Makes one random transaction, or several of another program.
    mutating func change() throws {
        let context = source.context(author: random.pick(["ann", "bob", nil]))
        if random.below(4) == 0 { context.transactionMetadata = ["reason": "test \(random.below(9))"] }
        switch random.below(12) {
        case 0..<5:
            for _ in 0...random.below(4) { try insert(into: context) }
            try context.save()
        case 5..<8:
            for _ in 0...random.below(5) { try update(context) }
            try context.save()
        case 8:
            try delete(context)
            try context.save()
        case 9: try batch(context)
        default:
            for _ in 0...random.below(3) { try foreign() }
        }
    }

    private mutating func text() -> String {
        number += 1
        return random.pick(["", "é", "e\u{301}", "nul\u{0}nul", "\"quoted\"\n", "🏔"]) + "\(number)"
    }

    private mutating func pick<Model: PersistentModel>(_: Model.Type, _ context: ModelContext) throws -> Model? {
        let all = try context.fetchIdentifiers(FetchDescriptor<Model>())
        guard !all.isEmpty else { return nil }
        return context.model(for: random.pick(all)) as? Model
    }

    private mutating func insert(into context: ModelContext) throws {
        switch random.below(7) {
        case 0:
            let node = GraphNode(text())
            context.insert(node)
            node.parent = try pick(GraphNode.self, context)
            node.group = try random.below(2) == 0 ? GraphGroup(text()) : pick(GraphGroup.self, context)
            node.children = [GraphNode(text()), GraphNode(text())]
        case 1:
            // Links among new models, and between new and saved ones.
            let item = LinkItem(text(), tags: [LinkTag(text()), LinkTag(text())])
            context.insert(item)
            if let tag = try pick(LinkTag.self, context) { item.tags.append(tag) }
            item.photos = [LinkPhoto(text())]
            item.friends = try [pick(LinkItem.self, context), item].compactMap { $0 }
            item.idols = [item]
            item.teachers = try [pick(LinkItem.self, context)].compactMap { $0 }
        case 2:
            let taxi = Taxi(text(), seats: random.below(9))
            context.insert(taxi)
            taxi.plate = text()
            taxi.owner = VehicleOwner(text())
            taxi.mileage = random.pick([0, -0.0, .infinity, -.infinity, 1e300, 0.1])
            taxi.labels = [VehicleLabel(text())]
            taxi.languages = try [pick(VehicleLabel.self, context)].compactMap { $0 }
        case 3:
            let truck = Truck(text())
            context.insert(truck)
            truck.load = random.pick([.sand, .wood, nil])
            truck.parts = [VehiclePart(text()), VehiclePart(text())]
        case 4: context.insert(LinkItem(text()))
        default:
            let values = ReplicatedValues(text())
            context.insert(values)
            change(values)
        }
    }

    private mutating func change(_ values: ReplicatedValues) {
        values.number = random.pick([.min, -1, 0, .max, Int(truncatingIfNeeded: random.next())])
        values.real = random.pick([.nan, -.nan, Double(bitPattern: 0x7ff8_0000_0000_0123), -0.0, .infinity, 0.1])
        values.small = random.pick([nil, .nan, 1.5, -0.0])
        values.date = random.pick([.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1)])
        values.data = random.pick([nil, Data(), Data([0, 1, 255]), Data(repeating: 10, count: 300)])
        values.place = random.pick([
            nil, ReplicatedValues.Place(city: text(), zip: 1), ReplicatedValues.Place(city: "", zip: nil),
        ])
        values.tags = random.below(2) == 0 ? [] : [text(), ""]
        values.key =
            random.below(2) == 0 ? nil : UUID(uuidString: "DEADBEEF-0000-4000-8000-00000000000\(random.below(10))")
        values.price = random.pick([
            nil, Decimal(string: "12.340"), Decimal(sign: .minus, exponent: -20, significand: 7),
        ])
    }

    private mutating func update(_ context: ModelContext) throws {
        switch random.below(7) {
        case 0:
            try pick(GraphNode.self, context)?.name = text()
            if let node = try pick(GraphNode.self, context) { node.favourite = try pick(GraphNode.self, context) }
        case 1:
            guard let node = try pick(GraphNode.self, context) else { return }
            node.next = try pick(GraphNode.self, context)
            node.group = try pick(GraphGroup.self, context)
        case 2:
            guard let item = try pick(LinkItem.self, context) else { return }
            item.tags = try [pick(LinkTag.self, context)].compactMap { $0 } + [LinkTag(text())]
            item.friends = try [pick(LinkItem.self, context)].compactMap { $0 }
            item.covers = try Set([pick(LinkPhoto.self, context)].compactMap { $0 })
        case 3:
            guard let car = try pick(Car.self, context) else { return }
            (car.seats, car.plate, car.wheels) = (random.below(9), random.pick([nil, text()]), random.below(9))
            car.owner = try pick(VehicleOwner.self, context)
        case 4: try pick(VehiclePart.self, context)?.vehicle = try pick(Vehicle.self, context)
        default: if let values = try pick(ReplicatedValues.self, context) { change(values) }
        }
    }

    private mutating func delete(_ context: ModelContext) throws {
        let model: (any PersistentModel)? =
            switch random.below(6) {
            case 0: try pick(GraphNode.self, context)
            case 1: try pick(LinkItem.self, context)
            case 2: try pick(Vehicle.self, context)
            case 3: try pick(LinkTag.self, context)
            case 4: try pick(GraphGroup.self, context)
            default: try pick(ReplicatedValues.self, context)
            }
        if let model { context.delete(model) }
    }

    private mutating func batch(_ context: ModelContext) throws {
        let limit = random.below(10)
        switch random.below(4) {
        case 0: try context.update(model: LinkItem.self, set: \.number, to: \.number + 1)
        case 1: try context.update(model: Vehicle.self, where: #Predicate { $0.wheels > limit }, set: \.wheels, to: 3)
        case 2: try context.delete(model: LinkItem.self, where: #Predicate { $0.number > limit })
        default: try context.delete(model: Truck.self, where: #Predicate { $0.wheels == limit })
        }
    }

    private mutating func foreign() throws {
        number += 1
        try source.foreign(
            "PRAGMA foreign_keys = ON; "
                + random.pick([
                    "INSERT INTO LinkItem(name, number) VALUES ('f\(number)', 7)",
                    "UPDATE LinkItem SET number = number + 1 WHERE id % 3 = 0; UPDATE LinkItem SET name = 'x' WHERE id % 5 = 0",
                    "DELETE FROM LinkItem WHERE id = (SELECT max(id) FROM LinkItem)",
                    """
                    INSERT INTO LinkTag(name, weight) VALUES ('f\(number)', 1); \
                    INSERT INTO "LinkItem.tags" SELECT i.id, t.id FROM LinkItem AS i, LinkTag AS t \
                    WHERE i.id % 4 = 1 AND t.id % 3 = 1
                    """,
                    "DELETE FROM \"LinkItem.tags\" WHERE owner % 3 = 0",
                    "INSERT INTO \"LinkItem.friends\" SELECT min(id), max(id) FROM LinkItem HAVING count(*) > 1",
                    "UPDATE Vehicle SET wheels = wheels + 1; UPDATE Vehicle SET name = 'v\(number)' WHERE id % 2",
                    """
                    INSERT INTO Vehicle(name, wheels, seats, mileage, chronicle_entity) \
                    VALUES ('c\(number)', 1, 2, 0.5, 'Car'); DELETE FROM Vehicle WHERE id % 7 = 3
                    """,
                    "INSERT OR REPLACE INTO GraphGroup(id, code) SELECT id, 'r\(number)' FROM GraphGroup LIMIT 1",
                    "UPDATE OR REPLACE GraphGroup SET code = 'same' WHERE id % 4 = 1",
                    "DELETE FROM GraphNode WHERE id % 9 = 4",
                    "UPDATE ReplicatedValues SET real = x'7ff8000000000001', small = 3 WHERE id % 2",
                ]))
    }
}
