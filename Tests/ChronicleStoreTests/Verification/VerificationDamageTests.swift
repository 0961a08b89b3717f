import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A verification finds each kind of damage.
@Suite struct VerificationDamageTests {
    /// SQL that damages a copy of ``VerifiedStore``, run without triggers and without foreign keys.
    struct Damage: Sendable, CustomTestStringConvertible {
        let kind: StoreProblem.Kind
        let sql: String

        init(_ kind: StoreProblem.Kind, _ sql: String) { (self.kind, self.sql) = (kind, sql) }

        var testDescription: String { "\(kind): \(sql)" }
    }

    private static let insert = "(SELECT min(id) FROM chronicle_change WHERE kind > 0 AND kind & 15 = 1)"
    private static let update = "(SELECT max(id) - 6 FROM chronicle_change WHERE kind > 0 AND kind & 15 = 2)"
    private static let lastUpdate = "(SELECT max(id) FROM chronicle_change WHERE kind > 0 AND kind & 15 = 2)"
    private static let lastValue = "(SELECT max(id) FROM chronicle_change WHERE kind > 0 AND kind & 15 = 0)"
    private static let delete = "(SELECT max(id) FROM chronicle_change WHERE kind > 0 AND kind & 15 = 3)"
    private static let header = "(SELECT max(id) FROM chronicle_change WHERE kind < 0)"

    static let all: [Damage] = [
        // The properties of the file.
        Damage(.property, "DELETE FROM chronicle_meta WHERE name = 'store'"),
        Damage(.property, "UPDATE chronicle_meta SET value = 'maybe' WHERE name = 'history'"),
        Damage(.property, "UPDATE chronicle_meta SET value = 0 WHERE name = 'preservesValues'"),
        Damage(.property, "INSERT INTO chronicle_meta VALUES ('floor', 1000000)"),
        Damage(.property, "INSERT INTO chronicle_meta VALUES ('floor', 1)"),
        Damage(.property, "INSERT INTO chronicle_meta VALUES ('gap', 'x')"),
        Damage(.property, "INSERT INTO chronicle_meta VALUES ('purged', 5)"),
        Damage(.property, "INSERT INTO chronicle_meta VALUES ('replayed', 'x')"),
        // Definitions.
        Damage(.definition, "ALTER TABLE chronicle_metadata ADD COLUMN more"),
        Damage(.definition, "DROP TABLE chronicle_conflict"),
        Damage(.index, "DROP INDEX chronicle_source_index"),
        Damage(.index, "DROP INDEX \"chronicle_reference_BucketListItem_trip\""),
        Damage(.index, "DROP INDEX \"chronicle_links_LinkItem.tags\""),
        Damage(.table, "DROP TABLE LinkPhoto"),
        Damage(.table, "DROP TABLE \"LinkItem.idols\""),
        Damage(.trigger, "DROP TRIGGER (SELECT)"),
        Damage(.trigger, "CREATE TRIGGER chronicle_extra AFTER INSERT ON Trip BEGIN SELECT 1; END"),
        Damage(.trigger, "CREATE UNIQUE INDEX other ON LinkTag(name)"),
        Damage(.view, "INSERT INTO chronicle_meta VALUES ('views', '{\"Trip_history\":\"0\"}')"),
        Damage(.view, "INSERT INTO chronicle_meta VALUES ('views', 'x')"),
        // Entities and attributes.
        Damage(.entity, "UPDATE chronicle_entity SET definition = '{}' WHERE name = 'Trip'"),
        Damage(.entity, "UPDATE chronicle_entity SET superentity = 99 WHERE name = 'Car'"),
        Damage(.entity, "INSERT INTO chronicle_attribute VALUES (99, 0, 'x', NULL, NULL, 1, 0, 0, 0)"),
        Damage(.entity, "UPDATE chronicle_attribute SET preserved_updates = 7 WHERE number = 0"),
        Damage(.entity, "DELETE FROM chronicle_attribute WHERE name = 'destination'"),
        // Positions, changes and values.
        Damage(.position, "DELETE FROM chronicle_change WHERE id = \(insert)"),
        Damage(.position, "UPDATE chronicle_change SET id = id + 5 WHERE id = (SELECT max(id) FROM chronicle_change)"),
        Damage(.change, "UPDATE chronicle_change SET kind = kind + 4 WHERE id = \(insert)"),
        Damage(.change, "UPDATE chronicle_change SET kind = 16 * 999 + 1 WHERE id = \(insert)"),
        Damage(.change, "UPDATE chronicle_change SET kind = 'x' WHERE id = \(insert)"),
        Damage(.change, "UPDATE chronicle_change SET primary_key = 'x' WHERE id = \(insert)"),
        Damage(.change, "UPDATE chronicle_change SET attributes = 'x' WHERE id = \(lastUpdate)"),
        Damage(.change, "UPDATE chronicle_change SET attributes = 0 WHERE id = \(lastUpdate)"),
        Damage(.change, "UPDATE chronicle_change SET attributes = 1 << 55 WHERE id = \(lastUpdate)"),
        Damage(.change, "UPDATE chronicle_change SET new_value = 1 WHERE id = \(lastUpdate)"),
        Damage(.value, "UPDATE chronicle_change SET attributes = 0 WHERE id = \(lastValue)"),
        Damage(.value, "UPDATE chronicle_change SET attributes = 77 WHERE id = \(lastValue)"),
        Damage(.value, "UPDATE chronicle_change SET attributes = NULL WHERE id = \(lastValue)"),
        Damage(.value, "UPDATE chronicle_change SET primary_key = primary_key + 1 WHERE id = \(lastValue)"),
        Damage(.value, "UPDATE chronicle_change SET old_value = 1 WHERE id = \(insert)"),
        Damage(.value, "UPDATE chronicle_change SET new_value = 1 WHERE id = \(delete)"),
        // Headers, sources and summaries.
        Damage(.header, "UPDATE chronicle_change SET old_value = old_value - 1 WHERE id = \(header)"),
        Damage(.header, "UPDATE chronicle_change SET attributes = NULL WHERE id = \(header)"),
        Damage(.header, "UPDATE chronicle_change SET primary_key = 'today' WHERE id = \(header)"),
        Damage(.header, "UPDATE chronicle_change SET kind = 0 WHERE id = \(header)"),
        Damage(.header, "UPDATE chronicle_change SET new_value = x'00' WHERE id = \(header)"),
        Damage(.source, "DELETE FROM chronicle_source WHERE author = 'author 1'"),
        Damage(.source, "DELETE FROM chronicle_source WHERE id = 1"),
        Damage(.source, "UPDATE chronicle_source SET newest = NULL WHERE author = 'author 1'"),
        Damage(.source, "UPDATE chronicle_source SET author = x'00' WHERE author = 'app'"),
        Damage(.summary, "DELETE FROM chronicle_summary WHERE last > 1000000"),
        Damage(.summary, "DELETE FROM chronicle_summary WHERE first = (SELECT min(first) FROM chronicle_summary)"),
        Damage(.summary, "UPDATE chronicle_summary SET sources = 0 WHERE sources > 0"),
        Damage(.summary, "UPDATE chronicle_summary SET latest = earliest WHERE latest > earliest"),
        Damage(.summary, "UPDATE chronicle_summary SET transactions = transactions + 1 WHERE sources = -1"),
        Damage(.summary, "UPDATE chronicle_summary SET last = last + 5000 WHERE sources > 0"),
        // Tables that refer to positions.
        Damage(.metadata, "INSERT INTO chronicle_metadata VALUES (1, 'reason', 'x')"),
        Damage(.metadata, "UPDATE chronicle_metadata SET value = x'00'"),
        Damage(.tag, "UPDATE chronicle_tag SET position = 1000000"),
        Damage(.tag, "UPDATE chronicle_tag SET check_value = check_value + 1"),
        Damage(.tag, "UPDATE chronicle_tag SET created = 'x'; UPDATE chronicle_tag SET position = 'x'"),
        Damage(.consumer, "UPDATE chronicle_consumer SET position = 1000000"),
        Damage(.consumer, "UPDATE chronicle_consumer SET rebuild = 'x'"),
        Damage(.consumer, "UPDATE chronicle_consumer SET check_value = check_value + 1"),
        // Rows.
        Damage(.reference, "UPDATE BucketListItem SET trip = 99"),
        Damage(.reference, "INSERT INTO \"LinkItem.tags\" VALUES (1, 99)"),
        Damage(.column, "UPDATE LinkItem SET number = 'x' WHERE id = 1"),
        Damage(.column, "UPDATE Trip SET name = x'00'"),
        Damage(.column, "UPDATE Vehicle SET chronicle_entity = 'Boat' WHERE id = 1"),
        Damage(.row, "UPDATE Trip SET name = 'changed'"),
        Damage(.row, "UPDATE Vehicle SET wheels = 3 WHERE id = 1"),
        Damage(.row, "DELETE FROM Trip"),
        Damage(.row, "INSERT INTO LinkTag(name, weight) VALUES ('unrecorded', 1)"),
        Damage(.row, "INSERT INTO LinkItem(id, name, number) VALUES (3, 'deleted', 1)"),
        Damage(.row, "UPDATE chronicle_change SET new_value = 'x' WHERE id = \(lastValue)"),
        Damage(
            .inverse,
            "INSERT INTO LivingAccommodation(id, placeName, isConfirmed, trip) "
                + "VALUES (99, 'one side', 0, (SELECT min(id) FROM Trip))"),
        Damage(
            .database,
            "UPDATE sqlite_sequence SET seq = 1; PRAGMA writable_schema = ON; "
                + "UPDATE sqlite_master SET rootpage = 2 WHERE name = 'Trip'"),
    ]

    @Test(arguments: all)
    func damageIsFound(_ damage: Damage) throws {
        let file = try VerifiedStore.copy()
        var sql = damage.sql
        if sql.hasPrefix("DROP TRIGGER") {
            let name = try Shell.sqlite3(
                file, "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'Trip'")
            sql = "DROP TRIGGER \(try #require(name.split(separator: "\n").first))"
        }
        let (status, _, errors) = try Shell.run(
            "/usr/bin/env",
            ["sqlite3", "-bail", file.path, ".dbconfig enable_trigger off", ".dbconfig defensive off", sql])
        #expect(status == 0, "\(errors)")
        let problems = try VerificationTests.problems(in: file)
        #expect(problems.contains { $0.kind == damage.kind }, "\(problems)")
    }

    @Test func everyKindIsTested() {
        // Only tracked databases have this one; see `UnrecordedRowsTests`.
        #expect(Set(Self.all.map(\.kind)).union([.unrecordedChange]) == Set(StoreProblem.Kind.allCases))
        #expect(Self.all.count >= 30)
    }

    @Test func aRowIsNamed() throws {
        let file = try VerifiedStore.copy()
        _ = try Shell.sqlite3(file, "UPDATE chronicle_change SET primary_key = 'today' WHERE id = \(Self.header)")
        let position = try #require(Int64(try Shell.sqlite3(file, "SELECT \(Self.header)")))
        #expect(
            try VerificationTests.problems(in: file).first { $0.kind == .header }
                == StoreProblem(
                    kind: .header, table: "chronicle_change", row: position, detail: "the timestamp is not a number"))
    }

    /// Problems of the same kind and table are limited, so that a damaged file does not fill the memory of a program.
    @Test func manyProblemsAreLimited() throws {
        let file = try VerifiedStore.copy()
        _ = try Shell.sqlite3(file, "UPDATE chronicle_change SET primary_key = 'x' WHERE kind > 0")
        #expect(try VerificationTests.problems(in: file).count { $0.kind == .change } == 100)
    }
}
