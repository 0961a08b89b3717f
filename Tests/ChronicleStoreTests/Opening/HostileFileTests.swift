import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A file with another object in place of a table: an error names it before anything reads it. If something does read
/// it, the test hangs.
@Suite struct HostileFileTests {
    private static let types: [any PersistentModel.Type] = [LinkItem.self, Trip.self]

    private func expectRefusal(
        _ store: TestStore, _ name: String, _ entityName: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try store.shell("SELECT * FROM sqlite_schema")
        for allowsSave in [true, false] {
            let error = try #require(
                try failure(of: {
                    try ModelContainer(
                        for: Schema(Self.types),
                        configurations: [ModelConfiguration(url: store.url, allowsSave: allowsSave)])
                }), sourceLocation: sourceLocation)
            #expect(error == .damagedFile, "\(error)", sourceLocation: sourceLocation)
            #expect(error.detail?.contains(name) == true, "\(error)", sourceLocation: sourceLocation)
            if let entityName { #expect(error.entityName == entityName, sourceLocation: sourceLocation) }
        }
        #expect(try store.shell("SELECT * FROM sqlite_schema") == before, sourceLocation: sourceLocation)
    }

    /// A view with the columns of the table and endless rows.
    private func endlessView(_ name: String, _ store: TestStore) throws -> String {
        let columns = try store.shell("SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('\(name)')")
        let values = columns.split(separator: ",").map { _ in "i" }.joined(separator: ", ")
        return """
            DROP TABLE "\(name)";
            CREATE VIEW "\(name)"(\(columns)) AS
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT \(values) FROM n
            """
    }

    @Test(arguments: [
        "chronicle_meta", "chronicle_change", "chronicle_conflict", "chronicle_entity", "chronicle_attribute",
        "chronicle_source", "chronicle_summary", "chronicle_metadata", "Trip", "BucketListItem", "LinkItem.tags",
    ])
    func endlessViewInPlaceOfATableThrows(_ name: String) throws {
        let store = try TestStore(.file, Self.types)
        try store.shell(try endlessView(name, store))
        try expectRefusal(store, name)
        // SQLite ignores the case of names and types, and everything after a NUL.
        for change in ["type = 'VIEW'", "name = upper(name), tbl_name = upper(name)", "name = name || char(0) || 'x'"] {
            let condition = "WHERE lower(type) = 'view'"
            try store.shell("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change) \(condition)")
            try expectRefusal(store, name)
        }
    }

    /// The view has the name of an entity that is not read, but saves still fail.
    @Test func endlessViewInPlaceOfAnUnknownEntityThrows() throws {
        let store = try TestStore(.file, Self.types + [Other.self])
        try store.shell(try endlessView("Other", store))
        try expectRefusal(store, "Other", "Other")
    }

    @Test func virtualTableThrows() throws {
        let store = try TestStore(.file, Self.types)
        try store.shell(
            "DROP TABLE BucketListItem; CREATE VIRTUAL TABLE BucketListItem USING fts5(title, isDone, trip)")
        try expectRefusal(store, "BucketListItem", "BucketListItem")
        try store.shell(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = 'BucketListItem'")
        try expectRefusal(store, "BucketListItem", "BucketListItem")
    }

    /// An expression may take any amount of time, https://www.sqlite.org/lang_expr.html#like among others.
    @Test(arguments: [
        "title TEXT AS ('a' LIKE 'a')", "\"trip\"As(1)STORED", "trip INTEGER GENERATED ALWAYS/**/AS/**/(1)",
    ])
    func computedColumnsThrow(_ column: String) throws {
        let store = try TestStore(.file, Self.types)
        let columns = ["title TEXT", "isDone INTEGER", "trip INTEGER"]
            .filter { !column.replacing("\"", with: "").hasPrefix($0.prefix(4)) }
        try store.shell(
            """
            DROP TABLE BucketListItem;
            CREATE TABLE BucketListItem(id INTEGER PRIMARY KEY, \((columns + [column]).joined(separator: ", ")))
            """)
        try expectRefusal(store, "BucketListItem", "BucketListItem")
    }

    @Test func wordASInADefinitionIsNotAComputedColumn() throws {
        let store = try TestStore(.file, [Assigned.self])
        let context = ModelContext(store.container)
        context.insert(Assigned())
        try context.save()
        #expect(try ModelContext(store.reopened([Assigned.self])).fetchCount(FetchDescriptor<Assigned>()) == 1)
    }

    @Test(arguments: [
        "ALTER TABLE chronicle_change ADD COLUMN extra", "ALTER TABLE chronicle_meta RENAME COLUMN value TO content",
        "DROP TABLE chronicle_source; CREATE TABLE chronicle_source(id, author, context, program, process)",
        "DROP TABLE chronicle_meta", "DROP TABLE chronicle_change",
    ])
    func changedHistoryTableThrows(_ sql: String) throws {
        let store = try TestStore(.file, Self.types)
        try store.shell(sql)
        try expectRefusal(store, "chronicle_")
    }

    /// Another program may change the file at any time. Versions of SQLite differ in whether they first report that a view
    /// lacks a column, or that reading it is denied.
    @Test(arguments: ["Trip", "chronicle_change", "LinkItem.tags"], [true, false])
    func viewCreatedUnderAnOpenStoreThrows(_ name: String, _ hasColumns: Bool) throws {
        let store = try TestStore(.file, Self.types)
        let context = store.context()
        let item = LinkItem("a")
        context.insert(item)
        item.tags = [LinkTag("b")]
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(try store.history().count == 1)
        let view = "DROP TABLE \"\(name)\"; CREATE VIEW \"\(name)\" AS SELECT 1 AS other"
        try store.shell(hasColumns ? try endlessView(name, store) : view)
        let error = try failure(of: {
            switch name {
            case "Trip": _ = try context.fetch(FetchDescriptor<Trip>())
            case "LinkItem.tags": _ = try store.context().fetch(FetchDescriptor<LinkItem>()).map(\.tags)
            default: _ = try store.history()
            }
            // The next fetch throws the error of a failed relationship.
            _ = try store.context().fetchCount(FetchDescriptor<LinkItem>(predicate: #Predicate { !$0.tags.isEmpty }))
        })
        #expect(error == .damagedFile && error?.detail?.contains("view") == true, "\(String(describing: error))")
    }
}

private final class Other: PersistentModel {
    static let properties: PropertyMap<Other> = [:]
    let persistentBackingData: any BackingData<Other> = Other.createBackingData()
    init(backingData: any BackingData<Other>) { persistentBackingData.adopt(backingData) }
}

private final class Assigned: PersistentModel {
    @Attribute var `as` = " as (1)"
    static let properties: PropertyMap<Assigned> = ["as": \.as]
    let persistentBackingData: any BackingData<Assigned> = Assigned.createBackingData()
    init(backingData: any BackingData<Assigned>) { persistentBackingData.adopt(backingData) }
    init() {}
}
