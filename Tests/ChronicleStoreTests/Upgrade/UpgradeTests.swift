import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Upgrades of files of format 1, in addition to ``FixtureTests``.
@Suite struct UpgradeTests {
    private let store: Format1Store

    init() throws { store = try Format1Store() }

    // MARK: The version

    /// Other programs use `user_version` for their own purposes.
    @Test(arguments: [0, 2, 7, -1]) func theUserVersionOfAnotherProgramIsIgnored(_ version: Int) throws {
        try store.shell("PRAGMA user_version = \(version)")
        #expect(try store.hasContentOfFixture(allowsSave: false))
        #expect(try store.version == "\(version)")
        #expect(try store.hasContentOfFixture())
        #expect(try store.version == "2")
        #expect(try store.shell("SELECT value FROM chronicle_meta WHERE name = 'format'") == "2")
    }

    // MARK: The history

    /// Histories without transactions, without headers, and with a void header only.
    @Test(arguments: [
        "DELETE FROM chronicle_change; \(withoutPast)",
        "DELETE FROM chronicle_change WHERE id <= 560; UPDATE chronicle_change SET id = id - 560; \(withoutPast)",
        """
        DELETE FROM chronicle_change WHERE id <> 560;
        UPDATE chronicle_change SET what = 0, key = NULL, more = NULL;
        UPDATE chronicle_meta SET value = 560 WHERE name = 'floor';
        UPDATE chronicle_meta SET value = (SELECT detail FROM chronicle_change) WHERE name = 'floorCheck'
        """,
    ])
    func shortHistories(_ sql: String) throws {
        try store.shell(sql)
        let before = try summary(FixtureFile.open(store.file, allowsSave: false))
        #expect(before.count <= 1)
        for number in 0..<2 {
            let context = ModelContext(try FixtureFile.open(store.file))
            context.insert(FixtureModels.Photo(Data()))
            try context.save()
            #expect(try context.fetchHistoryCount(Descriptor()) == before.count + number + 1)
            #expect(try context.fetchHistory(Descriptor()).count == before.count + number + 1)
        }
        let upgraded = try #require(FixtureFile.open(store.file).stores.first as? DefaultStore)
        let failures = try upgraded.database.read { try HistoryInvariants($0).failures }
        #expect(failures.isEmpty, "\(failures)")
    }

    private static let withoutPast = "DELETE FROM chronicle_meta WHERE name IN ('floor', 'floorCheck', 'gap')"

    /// Other programs left notes of rows that they may have replaced.
    @Test func notesOfReplacedRowsRemain() throws {
        let last = try #require(try Format1Store.fixture.tokens()["unsealed changes"])
        try store.shell(
            """
            INSERT INTO chronicle_conflict(entity, key, what, detail, more)
            VALUES (8, 999, 8 << 2 | 3, 0, 'replaced'), (8, 999, 8 << 2, 1, 5)
            """)
        let context = ModelContext(try FixtureFile.open(store.file))
        context.insert(FixtureModels.Photo(Data()))
        try context.save()
        let changes = try context.fetchHistory(.after(last)).flatMap(\.changes)
        let deletes = changes.compactMap { change in
            if case .delete(let delete as DefaultHistoryDelete<FixtureModels.Tag>) = change { delete } else { nil }
        }
        #expect(changes.count == 2 && deletes.count == 1)
        let delete = try #require(deletes.first)
        #expect(delete.changedPersistentIdentifier.integerPrimaryKey == 999)
        #expect(delete.tombstone[\.name] == "replaced" && delete.tombstone[\.weight] == 5)
    }

    @Test(arguments: [false, true]) func queriesAgreeWithFoundation(_ allowsSave: Bool) throws {
        try store.addRows(2_000)
        let container = try FixtureFile.open(store.file, allowsSave: allowsSave)
        let store = try #require(container.stores.first as? DefaultStore)
        var queries = try HistoryQueries(store, store.fetchHistory(Descriptor()), TestSeed.generator())
        for query in 0..<60 {
            let difference = try queries.difference()
            #expect(difference == nil, "\(TestSeed.description), query \(query): \(difference ?? "")")
        }
        for query in 0..<30 {
            let difference = try queries.differenceWithinTransactions()
            #expect(difference == nil, "\(TestSeed.description), token \(query): \(difference ?? "")")
        }
    }

    // MARK: Several programs

    @Test func processesUpgradeOnce() throws {
        try store.addRows(20_000)
        let expected = try summary(FixtureFile.open(store.file, allowsSave: false))
        let workers = try (0..<3).map { _ in try Worker("upgrade", store.file.path) }
        for worker in workers { #expect(try worker.finish() == "opened\n") }
        #expect(try store.version == "2")
        #expect(try store.shell("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%format_1%'") == "0")
        #expect(try summary(FixtureFile.open(store.file)) == expected)
    }

    @Test func storesInThreadsUpgradeOnce() async throws {
        let file = store.file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    let context = ModelContext(try FixtureFile.open(file))
                    context.author = "thread"
                    context.insert(FixtureModels.Photo(Data([UInt8(number)])))
                    try context.save()
                }
            }
            try await group.waitForAll()
        }
        let context = ModelContext(try FixtureFile.open(file))
        let added = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.author == "thread" }))
        #expect(added.map(\.changes.count) == [1, 1, 1, 1])
        let description = FixtureDescription(context.container)
        #expect(
            try description.results(of: Format1Store.fixture.tokens(), ignoring: "thread")
                == Format1Store.fixture.expectedText().split(separator: "\n").filter { $0.hasPrefix("token ") }
                .map(String.init))
    }

    /// The identifiers and changes of all transactions.
    private func summary(_ container: ModelContainer) throws -> [String] {
        let context = ModelContext(container)
        return try context.fetchHistory(Descriptor()).map { "\($0.id) \($0.author ?? "-") \($0.line)" }
    }

    // MARK: Programs that only read

    @Test func readOnlyStoreIsOpenedAgainAfterTheUpgrade() throws {
        let container = try FixtureFile.open(store.file, allowsSave: false)
        let readOnly = try #require(container.stores.first as? DefaultStore)
        let context = ModelContext(container)
        let photos = try context.fetchCount(FetchDescriptor<FixtureModels.Photo>())
        let count = try readOnly.fetchHistoryCount(Descriptor())
        let token = try #require(try readOnly.currentHistoryToken())
        #expect(count > 0 && photos > 0)

        let writer = ModelContext(try FixtureFile.open(store.file))
        writer.insert(FixtureModels.Photo(Data()))
        try writer.save()

        #expect(try context.fetchCount(FetchDescriptor<FixtureModels.Photo>()) == photos + 1)
        let nobody = Descriptor(predicate: #Predicate { $0.author == "nobody" })
        let entity = Descriptor(
            predicate: #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == "None" } })
        for descriptor in [Descriptor(), .after(token), nobody, entity] {
            try expectToOpenAgain { _ = try readOnly.fetchHistory(descriptor) }
            try expectToOpenAgain { _ = try readOnly.fetchHistoryWithoutChanges(descriptor) }
            try expectToOpenAgain { _ = try readOnly.fetchHistoryIdentifiers(descriptor) }
            try expectToOpenAgain { _ = try readOnly.fetchHistoryCount(descriptor) }
        }
        try expectToOpenAgain { _ = try readOnly.currentHistoryToken() }

        let again = ModelContext(try FixtureFile.open(store.file, allowsSave: false))
        // The fixture ends with changes that the save sealed.
        #expect(try again.fetchHistory(Descriptor()).count == count + 1)
        #expect(try again.fetchHistory(.after(token)).map(\.changes.count) == [1])
    }

    private func expectToOpenAgain(
        _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
        let error = try failure(of: body)
        #expect(error == .loadIssueModelContainer, sourceLocation: location)
        #expect(
            error?.detail?.contains("open the store again") == true && error?.storeIdentifier != nil, "\(error as Any)",
            sourceLocation: location)
    }

    // MARK: Programs with some of the models

    /// The schema of the upgrading program does not contain the models of these link tables.
    @Test func triggersOfUnknownLinksRecordTheSame() throws {
        let other = try Format1Store(store)
        let gap = "SELECT value FROM chronicle_meta WHERE name = 'gap'"
        let gapBefore = try store.shell(gap)
        let last = try #require(try Format1Store.fixture.tokens()["unsealed changes"])
        do { _ = try FixtureFile.open(store.file, [FixtureModels.Photo.self]) }
        do { _ = try FixtureFile.open(other.file) }
        var lines: [[String]] = []
        for store in [store, other] {
            try store.shell(
                """
                PRAGMA foreign_keys = ON;
                INSERT INTO "Person.friends"(owner, destination) SELECT a.id, b.id FROM Person a, Person b
                    WHERE a.code = 'Ed' AND b.code = 'Ba';
                DELETE FROM "Person.friends" WHERE owner = 4;
                INSERT INTO "Person.idols"(owner, destination) SELECT id, id FROM Person WHERE code = 'Ba';
                UPDATE "Person.idols" SET destination = (SELECT id FROM Person WHERE code = 'Ed');
                INSERT INTO "Specimen.tags"(owner, destination) SELECT a.id, b.id FROM Specimen a, Tag b;
                DELETE FROM "Album.photos";
                DELETE FROM Album WHERE title = 'Dances';
                INSERT INTO Wide(a000) VALUES (77);
                UPDATE Wide SET a129 = 3, a063 = 3;
                """)
            let context = ModelContext(try FixtureFile.open(store.file))
            lines.append(try context.fetchHistory(.after(last)).map(\.line))
            #expect(try store.shell(gap) == gapBefore)
        }
        #expect(lines[0] == lines[1] && lines[0].count == 1)
        #expect(lines[0].joined().contains("friends") && lines[0].joined().contains("photos"))
        let triggers = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"
        #expect(try store.shell(triggers) == other.shell(triggers))
        #expect(try store.shell("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%what%detail%'") == "0")
    }

    // MARK: Other programs

    @Test func objectsOfOtherProgramsRemain() throws {
        let objects = """
            CREATE TABLE log(name);
            CREATE TRIGGER own_insert AFTER INSERT ON Tag BEGIN INSERT INTO log VALUES (NEW.name); END;
            CREATE INDEX own_index ON Tag(weight);
            CREATE VIEW own_view AS SELECT name FROM Tag;
            CREATE TRIGGER own_view_insert INSTEAD OF INSERT ON own_view
                BEGIN INSERT INTO Tag(name) VALUES (NEW.name); END;
            CREATE VIEW own_changes AS SELECT id, primary_key FROM chronicle_change;
            CREATE VIEW earlier_changes AS SELECT what FROM chronicle_change;
            CREATE TRIGGER own_changes_insert INSTEAD OF INSERT ON own_changes BEGIN SELECT NEW.id; END;
            """
        try store.shell(objects)
        let select =
            "SELECT sql FROM sqlite_schema WHERE name LIKE 'own%' OR name IN ('log', 'earlier_changes') ORDER BY name"
        let before = try store.shell(select)
        do {
            let context = ModelContext(try FixtureFile.open(store.file))
            context.insert(FixtureModels.Tag("logged"))
            try context.save()
            #expect(try context.fetchHistory(Descriptor()).last?.changes.count == 1)
        }
        #expect(try store.shell(select) == before)
        try store.shell("INSERT INTO own_view VALUES ('by view')")
        #expect(try store.shell("SELECT group_concat(name) FROM log") == "logged,by view")
        #expect(try store.shell("SELECT max(primary_key) FROM own_changes") != "")
        _ = try FixtureFile.open(store.file)
    }

    @Test(arguments: [
        "CREATE TRIGGER own AFTER INSERT ON chronicle_change BEGIN SELECT NEW.what; END",
        "CREATE INDEX own ON chronicle_change(key)", "CREATE INDEX own ON CHRONICLE_SOURCE(author)",
    ])
    func objectsOnReplacedTablesThrow(_ sql: String) throws {
        try store.shell(sql)
        let before = try store.dump
        let error = try failure(of: { try FixtureFile.open(store.file) })
        #expect(error == .backwardMigration && error?.detail?.contains("\"own\"") == true, "\(error as Any)")
        #expect(try store.dump == before && store.version == "1")
        try store.shell("DROP \(sql.contains("TRIGGER") ? "TRIGGER" : "INDEX") own")
        #expect(try store.hasContentOfFixture())
    }
}
