import Chronicle
import ChronicleSQL
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Predicates in Swift next to their SQL.
@Suite("Predicates: generated SQL")
struct TranslationTests {
    private let store: SightStore

    init() throws { store = try SightStore() }

    private func condition<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> String {
        let sql = try store.sql(FetchDescriptor(predicate: predicate)).count.sql
        return String(sql.trimmingPrefix("SELECT count(*) FROM "))
    }

    @Test("Values are bound, never spliced")
    func bindings() throws {
        let (name, rank, date) = ("Robert'); DROP TABLE Sight;--", 7, Date(timeIntervalSinceReferenceDate: 1.5))
        let predicate = #Predicate<Sight> { $0.name == name && $0.rank > rank && $0.opened < date }
        let query = try store.sql(FetchDescriptor(predicate: predicate)).identifiers
        #expect(
            query.sql == """
                SELECT t."_rowid_" FROM "Sight" AS t WHERE t."name" = ? AND t."rank" > ? AND t."opened" < ? ORDER BY t."_rowid_"
                """)
        #expect(query.bindings == [.text(name), .integer(7), .real(1.5)])
    }

    @Test("Statements: columns, count, limit, and offset")
    func statements() throws {
        var descriptor = FetchDescriptor<Region>(sortBy: [SortDescriptor(\.code, order: .reverse)])
        let select = #"SELECT t."name" FROM "Region" AS t ORDER BY t."code" DESC, t."_rowid_""#
        #expect(try store.sql(descriptor).select("t.\"name\"").sql == select)
        #expect(try store.sql(descriptor).count == #"SELECT count(*) FROM "Region" AS t"#)
        descriptor.fetchLimit = 3
        #expect(try store.sql(descriptor).select("t.\"name\"") == "\(raw: select) LIMIT \(value: .integer(3))")
        descriptor.fetchOffset = 2
        let page: SQLQuery = "LIMIT \(value: .integer(3)) OFFSET \(value: .integer(2))"
        #expect(try store.sql(descriptor).select("t.\"name\"") == "\(raw: select) \(page)")
        #expect(
            try store.sql(descriptor).count == #"SELECT count(*) FROM (SELECT 1 FROM "Region" AS t \#(page))"#)
        descriptor.fetchLimit = nil
        #expect(try store.sql(descriptor).identifiers.bindings == [.integer(-1), .integer(2)])
    }

    @Test("Deleting: all rows, by condition, by a condition on another table")
    func deleting() throws {
        let all = FetchDescriptor<Region>()
        #expect(try store.sql(all).delete == #"DELETE FROM "Region" AS t"#)
        let some = FetchDescriptor<Region>(predicate: #Predicate { $0.name == "x" })
        #expect(try store.sql(some).delete == #"DELETE FROM "Region" AS t WHERE t."name" = \#(value: .text("x"))"#)
        let joined = FetchDescriptor<Region>(predicate: #Predicate { $0.parent?.name == "x" })
        #expect(
            try store.sql(joined).delete.sql == """
                DELETE FROM "Region" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Region" AS t \
                LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."parent" WHERE j1."name" = ?)
                """)
    }

    @Test("Comparisons with optionals use IS where required and = otherwise")
    func optionals() throws {
        #expect(try condition(#Predicate<Sight> { $0.note == "x" }) == #""Sight" AS t WHERE t."note" = ?"#)
        #expect(try condition(#Predicate<Sight> { $0.note != "x" }) == #""Sight" AS t WHERE t."note" IS NOT ?"#)
        #expect(try condition(#Predicate<Sight> { $0.note == nil }) == #""Sight" AS t WHERE t."note" IS NULL"#)
        #expect(
            try condition(#Predicate<Sight> { !($0.note == "x" || $0.isOpen) })
                == #""Sight" AS t WHERE NOT ((t."note" IS ? OR t."isOpen"))"#)
    }

    @Test("Relationships: column, join, and subquery")
    func relationships() throws {
        let region = store.regions[1].persistentModelID
        let other = PersistentIdentifier.Origin(storeIdentifier: "other", entityName: "Region").identifier(1)
        #expect(
            try condition(#Predicate<Sight> { $0.region?.persistentModelID == region })
                == #""Sight" AS t WHERE t."region" = ?"#)
        #expect(
            try condition(#Predicate<Sight> { $0.region?.persistentModelID == other }) == #""Sight" AS t WHERE 0"#)
        #expect(
            try condition(#Predicate<Sight> { $0.region?.name == "x" && $0.region?.code == nil }) == """
                "Sight" AS t LEFT JOIN "Region" AS j1 ON j1."_rowid_" = t."region" \
                WHERE j1."name" = ? AND j1."code" IS NULL
                """)
        #expect(
            try condition(#Predicate<Sight> { $0.visits.contains { $0.stars > 3 } }) == """
                "Sight" AS t WHERE EXISTS (SELECT 1 FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_" AND e1."stars" > ?)
                """)
        #expect(
            try condition(#Predicate<Sight> { $0.visits.count > 3 }) == """
                "Sight" AS t WHERE (SELECT count(*) FROM "Visit" AS e1 WHERE e1."sight" = t."_rowid_") > ?
                """)
    }

    @Test("Text operations that SQLite lacks use functions")
    func text() throws {
        #expect(
            try condition(#Predicate<Sight> { $0.name.localizedStandardContains("x") })
                == #""Sight" AS t WHERE chronicle_contains(t."name", ?)"#)
        #expect(
            try condition(#Predicate<Sight> { $0.note?.localizedStandardContains("x") ?? false })
                == #""Sight" AS t WHERE (t."note" IS NOT NULL AND chronicle_contains(t."note", ?))"#)
        #expect(
            try condition(#Predicate<Sight> { $0.name.count > 3 })
                == #""Sight" AS t WHERE chronicle_count(t."name") > ?"#)
    }

    @Test("if let")
    func ifLet() throws {
        let predicate = #Predicate<Sight> { if let score = $0.score { score > 5 } else { false } }
        #expect(try condition(predicate) == #""Sight" AS t WHERE (t."score" IS NOT NULL AND t."score" > ?)"#)
    }
}
