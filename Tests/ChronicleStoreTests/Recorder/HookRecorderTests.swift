import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The pre-update hook records the same history as the triggers, row for row.
@Suite(.enabled(if: Connection.reportsRowChanges)) struct HookRecorderTests {
    /// One of two stores that receive the same changes.
    private struct Side {
        let store: DefaultStore
        let context = UUID()

        init(
            _ url: URL, _ recorder: ModelConfiguration.Recorder, _ types: [any PersistentModel.Type],
            preservesValues: Bool = false
        ) throws {
            var configuration = ModelConfiguration(
                schema: Schema(types), url: url, durability: .relaxed, preservesValues: preservesValues)
            configuration.recorder = recorder
            store = try DefaultStore(configuration, migrationPlan: nil)
        }

        var areTriggersEnabled: Bool {
            get throws { try store.database.write { $0.areTriggersEnabled } }
        }

        /// Saves the changes.
        ///
        /// - Returns: The primary keys of the inserted rows, or the error of the save.
        func save(_ changes: Changes) throws -> Result<[Int64], SwiftDataError> {
            do {
                let request = DataStoreSaveChangesRequest(
                    editingState: EditingState(id: context, author: "a"),
                    inserted: try changes.inserted.map(snapshot), updated: try changes.updated.map(snapshot),
                    deleted: try changes.deleted.map(snapshot))
                let identifiers = try store.save(request).remappedIdentifiers
                return .success(
                    try request.inserted.map { snapshot in
                        try #require(identifiers[snapshot.persistentIdentifier]?.integerPrimaryKey)
                    })
            } catch let error as SwiftDataError {
                return .failure(error)
            }
        }

        private func snapshot(_ row: Row) throws -> DefaultSnapshot {
            let table = try store.layout.table(named: row.entity)
            var changed = PropertySet()
            for (slot, column) in table.columns.enumerated() where row.changed?.contains(column.name) != false {
                changed.insert(slot)
            }
            let values = table.columns.map { column -> PropertyValue in
                switch (row.values[column.name], column.destination) {
                case (.integer(let key)?, let destination?): .reference(destination.identifier(key))
                case (let value?, _): value
                case (nil, _): .null
                }
            }
            let identifier =
                row.key.map { table.origin.identifier($0) }
                ?? (row.entity == "HookOwner" ? HookOwner("").persistentModelID : HookPart("").persistentModelID)
            return DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: changed)
        }

        /// The rows of the history, without random values and times, and the rows of the models.
        func contents() throws -> [String] {
            let queries = [
                """
                SELECT id, kind, typeof(primary_key), iif(kind > 0, primary_key, 0), typeof(attributes), \
                iif(kind > 0, attributes, 0), typeof(old_value), quote(old_value), hex(CAST(old_value AS BLOB)), \
                typeof(new_value), iif(kind > 0, quote(new_value), 0), iif(kind > 0, hex(CAST(new_value AS BLOB)), 0) \
                FROM chronicle_change ORDER BY id
                """,
                "SELECT id, quote(name), quote(note), quote(score), quote(image), favorite FROM HookOwner ORDER BY id",
                "SELECT id, quote(name), owner, parent FROM HookPart ORDER BY id",
            ]
            return try store.database.read { connection in
                try queries.flatMap { query in
                    let statement = try connection.prepare(query)
                    var rows: [String] = []
                    while try statement.step() {
                        rows.append((0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|"))
                    }
                    return rows
                }
            }
        }
    }

    private struct Row {
        let entity: String
        var key: Int64?
        /// The names of the changed columns, or `nil` if all columns changed.
        var changed: Set<String>?
        /// The values by column name. References are the primary keys of their destinations.
        var values: [String: PropertyValue] = [:]
    }

    private struct Changes {
        var inserted: [Row] = []
        var updated: [Row] = []
        var deleted: [Row] = []
    }

    // MARK: Random changes

    private static let texts = ["", "a", "b", "e\u{301}", "nul\u{0}nul", String(repeating: "long ", count: 40)]
    /// The store preserves values up to this size without an option of the attribute.
    private static let largeTexts = [0, 1].map {
        String(repeating: "é", count: 32_768) + String(repeating: "x", count: $0)
    }

    private func value(_ column: String, _ random: inout SplitMix, _ keys: [String: [Int64]]) -> PropertyValue {
        switch column {
        case "name": .text(random.pick(Self.texts) + String(random.below(40)))
        case "note":
            random.below(3) == 0
                ? .null : .text(random.below(12) == 0 ? random.pick(Self.largeTexts) : random.pick(Self.texts))
        case "score": .real(random.pick([0, -0.0, 1, 1.5, .infinity, 1e300, .leastNonzeroMagnitude]))
        case "image":
            random.below(3) == 0
                ? .null : .blob(Data(repeating: 7, count: (random.below(12) == 0 ? 65_436 : 0) + random.below(200)))
        case "owner": random.below(3) == 0 ? .null : reference(to: "HookOwner", &random, keys)
        default: random.below(3) == 0 ? .null : reference(to: "HookPart", &random, keys)
        }
    }

    private func reference(to entity: String, _ random: inout SplitMix, _ keys: [String: [Int64]]) -> PropertyValue {
        let known = keys[entity, default: []]
        // A reference to a row that does not exist violates the foreign key constraint.
        if known.isEmpty || random.below(60) == 0 { return random.below(4) == 0 ? .integer(99_999) : .null }
        return .integer(random.pick(known))
    }

    private static let columns = [
        "HookOwner": ["name", "note", "score", "image", "favorite"], "HookPart": ["name", "owner", "parent"],
    ]

    private func row(
        _ key: Int64?, _ entity: String, _ random: inout SplitMix, _ keys: [String: [Int64]]
    ) -> Row {
        let columns = Self.columns[entity, default: []]
        var values: [String: PropertyValue] = [:]
        for column in columns { values[column] = value(column, &random, keys) }
        let changed = key == nil ? nil : Set(columns.filter { _ in random.below(2) == 0 })
        return Row(entity: entity, key: key, changed: changed, values: values)
    }

    private func changes(_ random: inout SplitMix, _ keys: [String: [Int64]]) -> Changes {
        var changes = Changes()
        let entities = ["HookOwner", "HookPart"]
        for entity in entities where random.below(2) == 0 {
            for _ in 0..<random.below(random.below(4) == 0 ? 70 : 4) {
                var inserted = row(nil, entity, &random, keys)
                // A restored row, whose key may exist.
                if random.below(12) == 0 { inserted.key = Int64(1 + random.below(10_000)) }
                changes.inserted.append(inserted)
            }
        }
        var used: Set<String> = []
        for _ in 0..<random.below(6) {
            let entity = random.pick(entities)
            guard let key = keys[entity]?.randomElement(using: &random), used.insert("\(entity)\(key)").inserted else {
                continue
            }
            if random.below(3) == 0 {
                changes.deleted.append(Row(entity: entity, key: key, changed: []))
            } else {
                changes.updated.append(row(key, entity, &random, keys))
            }
        }
        return changes
    }

    /// Returns SQL that writes rows as another program does.
    private func sqlOfAnotherProgram(_ random: inout SplitMix) -> String {
        random.pick([
            "UPDATE HookOwner SET note = 'foreign' WHERE id % 3 = 0",
            "INSERT INTO HookOwner(name, score) VALUES ('f' || random(), 1)",
            "INSERT OR REPLACE INTO HookOwner(id, name, score) SELECT id, name || '!', 2 FROM HookOwner LIMIT 1",
            "UPDATE OR REPLACE HookOwner SET name = 'same', note = 'replaced' WHERE id % 5 = 0",
            "UPDATE HookPart SET id = id + 1000000 + random() WHERE id % 13 = 0",
            "INSERT OR IGNORE INTO HookOwner(id, name, score) SELECT id, name, 2 FROM HookOwner LIMIT 3",
            "DELETE FROM HookPart WHERE id % 7 = 0",
            "PRAGMA foreign_keys = ON; DELETE FROM HookOwner WHERE id % 11 = 0",
        ]).replacing("random()", with: String(random.below(1_000_000)))
    }

    @Test(arguments: TestSeed.rounds(4), [false, true])
    func randomSavesHaveTheHistoryOfTheTriggers(_ round: Int, preservesValues: Bool) throws {
        var random = TestSeed.generator(round)
        let directory = try TemporaryDirectory()
        let types: [any PersistentModel.Type] = [HookOwner.self, HookPart.self]
        let urls = [directory.file("hook.store"), directory.file("triggers.store")]
        // In some rounds, the attribute numbers need a second or a third mask.
        if round % 3 == 0 {
            for url in urls {
                try Self.shiftAttributeNumbers(url, by: [60, 130][round / 3 % 2], types, preservesValues)
            }
        }
        let hook = try Side(urls[0], .automatic, types, preservesValues: preservesValues)
        let triggers = try Side(urls[1], .triggers, types, preservesValues: preservesValues)
        var keys: [String: [Int64]] = [:]
        var saves = (hook: 0, failed: 0)
        for step in 0..<60 {
            if random.below(6) == 0 {
                let sql = sqlOfAnotherProgram(&random)
                for url in urls {
                    let other = try Connection(path: url.path, mode: .readWrite)
                    // Foreign keys are disabled by default, so the SQL may leave references to rows that do not exist.
                    try other.execute(sql)
                    try other.execute("UPDATE HookPart SET owner = NULL WHERE owner NOT IN (SELECT id FROM HookOwner)")
                    try other.execute("UPDATE HookPart SET parent = NULL WHERE parent NOT IN (SELECT id FROM HookPart)")
                    try other.execute(
                        "UPDATE HookOwner SET favorite = NULL WHERE favorite NOT IN (SELECT id FROM HookPart)")
                }
            }
            let changes = changes(&random, keys)
            let results = try (hook.save(changes), triggers.save(changes))
            switch results {
            case (.success(let one), .success(let other)): #expect(one == other, "step \(step)")
            case (.failure(let one), .failure(let other)):
                saves.failed += 1
                #expect(one == other, "step \(step)")
            default: Issue.record("step \(step): \(results)")
            }
            if try !hook.areTriggersEnabled { saves.hook += 1 }
            #expect(try triggers.areTriggersEnabled)
            let contents = try (hook.contents(), triggers.contents())
            try #require(
                contents.0 == contents.1,
                "\(TestSeed.description), step \(step): \(contents.0.difference(from: contents.1))")
            for entity in ["HookOwner", "HookPart"] {
                keys[entity] = try hook.store.database.read { connection in
                    let statement = try connection.prepare("SELECT id FROM \(entity) ORDER BY id")
                    var found: [Int64] = []
                    while try statement.step() { found.append(statement.int64(0)) }
                    return found
                }
            }
        }
        #expect(saves.hook > 30 && saves.failed < 40, "\(saves)")
    }

    /// Increases the attribute numbers of both entities, as if many attributes had been removed.
    private static func shiftAttributeNumbers(
        _ url: URL, by distance: Int, _ types: [any PersistentModel.Type], _ preservesValues: Bool
    ) throws {
        _ = try Side(url, .triggers, types, preservesValues: preservesValues)
        let connection = try Connection(path: url.path, mode: .readWrite)
        try connection.execute(
            """
            UPDATE chronicle_attribute SET number = -number - 1;
            UPDATE chronicle_attribute SET number = -number - 1 + \(distance);
            DELETE FROM chronicle_meta WHERE name LIKE 'complete:%'
            """)
    }

    // MARK: Choosing the recorder

    private func owner(_ name: String) -> Row {
        Row(entity: "HookOwner", values: ["name": .text(name), "score": .real(0)])
    }

    private func side(_ directory: TemporaryDirectory) throws -> Side {
        try Side(directory.file("hook.store"), .automatic, [HookOwner.self, HookPart.self])
    }

    @Test func aTriggerOfAnotherProgramFires() throws {
        let directory = try TemporaryDirectory()
        let side = try side(directory)
        _ = try side.save(Changes(inserted: [owner("a")])).get()
        #expect(try !side.areTriggersEnabled)
        let other = try Connection(path: directory.file("hook.store").path, mode: .readWrite)
        try other.execute(
            """
            CREATE TABLE log(name);
            CREATE TRIGGER audit AFTER INSERT ON HookOwner BEGIN INSERT INTO log VALUES (NEW.name); END
            """)
        _ = try side.save(Changes(inserted: [owner("b")])).get()
        #expect(try other.scalarText("SELECT group_concat(name) FROM log") == "b")
        #expect(try other.scalarInt64("SELECT count(*) FROM chronicle_change WHERE kind > 0") == 2)
        // The trigger is not on this table, so the hook records these saves.
        for number in 0..<20 {
            _ = try side.save(Changes(inserted: [Row(entity: "HookPart", values: ["name": .text("\(number)")])])).get()
        }
        #expect(try !side.areTriggersEnabled)
        try other.execute("DROP TRIGGER audit")
        for number in 0..<20 { _ = try side.save(Changes(inserted: [owner("c\(number)")])).get() }
        #expect(try !side.areTriggersEnabled)
        #expect(try other.scalarInt64("SELECT count(*) FROM log") == 1)
    }

    /// A table of another program references a model with ON DELETE CASCADE and has a trigger.
    @Test func aTriggerThatACascadeReachesFires() throws {
        let directory = try TemporaryDirectory()
        let side = try side(directory)
        let keys = try side.save(Changes(inserted: [owner("a")])).get()
        let other = try Connection(path: directory.file("hook.store").path, mode: .readWrite)
        try other.execute(
            """
            CREATE TABLE log(name);
            CREATE TABLE child(owner INTEGER REFERENCES HookOwner(id) ON DELETE CASCADE);
            CREATE TRIGGER audit AFTER DELETE ON child BEGIN INSERT INTO log VALUES (OLD.owner); END;
            INSERT INTO child VALUES (\(keys[0]))
            """)
        _ = try side.save(Changes(deleted: [Row(entity: "HookOwner", key: keys[0], changed: [])])).get()
        #expect(try other.scalarInt64("SELECT count(*) FROM log") == 1)
        #expect(try other.scalarInt64("SELECT count(*) FROM child") == 0)
        #expect(try other.scalarInt64("SELECT count(*) FROM chronicle_change WHERE kind > 0 AND kind & 15 = 3") == 1)
    }

    /// A save that fails or does not change any value records nothing.
    @Test func aSaveWithoutEffectRecordsNothing() throws {
        let side = try side(try TemporaryDirectory())
        let key = try side.save(Changes(inserted: [owner("a")])).get()[0]
        let before = try side.contents()
        let same = Row(
            entity: "HookOwner", key: key, changed: ["name", "score"],
            values: ["name": .text("a"), "score": .real(-0.0)])
        _ = try side.save(Changes(updated: [same])).get()
        guard case .failure(.uniquenessViolation) = try side.save(Changes(inserted: [owner("b"), owner("a")])) else {
            Issue.record("two rows have the same name")
            return
        }
        #expect(try !side.areTriggersEnabled)
        #expect(try side.contents().count == before.count)
    }

    /// The deletes of one cascade exceed the memory of the recorder.
    @Test func manyChangesOfOneStatementAreRecordedByTriggers() throws {
        let directory = try TemporaryDirectory()
        let side = try side(directory)
        let key = try side.save(Changes(inserted: [owner("a")])).get()[0]
        let count = 4_000
        let text = String(repeating: "x", count: 10_000)
        let parts = (0..<count).map {
            Row(entity: "HookPart", values: ["name": .text("\($0)\(text)"), "owner": .integer(key)])
        }
        _ = try side.save(Changes(inserted: parts)).get()
        #expect(try !side.areTriggersEnabled)
        _ = try side.save(Changes(deleted: [Row(entity: "HookOwner", key: key, changed: [])])).get()
        #expect(try side.areTriggersEnabled)
        let other = try Connection(path: directory.file("hook.store").path, mode: .readWrite)
        #expect(try other.scalarInt64("SELECT count(*) FROM chronicle_change WHERE kind & 15 = 3") == Int64(count + 1))
        #expect(try other.scalarInt64("SELECT count(*) FROM HookPart") == 0)
    }
}

final class HookOwner: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute(.preserveValueOnDeletion, .preserveValueOnUpdate) var note: String?
    @Attribute(.preserveValueOnDeletion) var score: Double
    @Attribute(.preserveValueOnUpdate) var image: Data?
    @Relationship(deleteRule: .cascade, inverse: \HookPart.owner) var parts: [HookPart]
    @Relationship(inverse: \HookPart.admirers) var favorite: HookPart?

    static let properties: PropertyMap<HookOwner> = [
        "name": \.name, "note": \.note, "score": \.score, "image": \.image, "parts": \.parts, "favorite": \.favorite,
    ]
    static let uniqueness: Uniqueness<HookOwner> = [[\.name]]
    let persistentBackingData: any BackingData<HookOwner> = HookOwner.createBackingData()
    init(backingData: any BackingData<HookOwner>) { persistentBackingData.adopt(backingData) }

    init(_ name: String) {
        self.name = name
        score = 0
    }
}

final class HookPart: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Relationship var owner: HookOwner?
    @Relationship var parent: HookPart?
    @Relationship(deleteRule: .cascade, inverse: \HookPart.parent) var pieces: [HookPart]
    @Relationship var admirers: [HookOwner]

    static let properties: PropertyMap<HookPart> = [
        "name": \.name, "owner": \.owner, "parent": \.parent, "pieces": \.pieces, "admirers": \.admirers,
    ]
    let persistentBackingData: any BackingData<HookPart> = HookPart.createBackingData()
    init(backingData: any BackingData<HookPart>) { persistentBackingData.adopt(backingData) }

    init(_ name: String) { self.name = name }
}
