import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Deletes preserve the links that no update of another row records.
@Suite struct DeletedLinkTests {
    /// A file with two albums and three pictures.
    private struct File {
        private let directory: TemporaryDirectory
        let url: URL
        let recorder: ModelConfiguration.Recorder
        let container: ModelContainer

        init(_ recorder: ModelConfiguration.Recorder, preservesValues: Bool = true) throws {
            directory = try TemporaryDirectory()
            url = directory.file("albums.store")
            self.recorder = recorder
            container = try Self.container(url, recorder, preservesValues)
            let context = ModelContext(container)
            let pictures = ["a", "b", "c"].map { Picture($0) }
            for picture in pictures { context.insert(picture) }
            let first = Album(code: 1, title: "first"), second = Album(code: 2, title: "second")
            for album in [first, second] { context.insert(album) }
            try context.save()
            first.pictures = Array(pictures[0...1])
            first.related = [first, second]
            second.related = [first]
            try context.save()
        }

        private static func container(
            _ url: URL, _ recorder: ModelConfiguration.Recorder, _ preservesValues: Bool = true
        ) throws -> ModelContainer {
            var configuration = ModelConfiguration(url: url, durability: .relaxed, preservesValues: preservesValues)
            configuration.recorder = recorder
            return try ModelContainer(for: Schema([Album.self, Picture.self]), configurations: [configuration])
        }

        func reopened() throws -> ModelContext { ModelContext(try Self.container(url, recorder)) }

        func execute(_ sql: String) throws { try Connection(path: url.path, mode: .readWrite).execute(sql) }

        func rows(_ sql: String) throws -> [String] {
            let statement = try Connection(path: url.path, mode: .readWrite).prepare(sql)
            var rows: [String] = []
            while try statement.step() {
                let values = (0..<statement.columnCount).map { statement.isNull($0) ? "-" : statement.text($0) }
                rows.append(values.joined(separator: "|"))
            }
            return rows
        }

        /// The rows of the deletes of albums, with the names of their attributes.
        func deletes() throws -> [String] {
            let rows = try rows(
                """
                SELECT CASE c.kind & 15 WHEN 3 THEN 'delete ' || c.primary_key ELSE '' END, a.name, c.old_value, c.kind & 15 \
                FROM chronicle_change AS c LEFT JOIN chronicle_attribute AS a ON a.entity = c.kind >> 4 \
                AND a.number = c.attributes AND c.kind & 15 IN (0, 3) \
                WHERE c.kind > 0 AND c.kind >> 4 = (SELECT id FROM chronicle_entity WHERE name = 'Album') ORDER BY c.id
                """)
            var found: [String] = []
            var isDelete = false
            for row in rows.map({ $0.split(separator: "|", omittingEmptySubsequences: false) }) {
                if row[3] != "0" { isDelete = row[3] == "3" }
                guard isDelete else { continue }
                if row[3] == "3" { found.append("\(row[0]):") }
                found[found.count - 1] += " \(row[1])=\(row[2])"
            }
            return found
        }

        var gap: Int64? {
            get throws { try MetaTable.position(.gap, Connection(path: url.path, mode: .readWrite)) }
        }
    }

    static let recorders = [ModelConfiguration.Recorder.triggers, .automatic]
    /// Album 1 with its links.
    private static let first = "delete 1: code=1 title=first pictures=1 pictures=2 related=1 related=2"

    @Test(arguments: recorders) func aDeletedModelHasItsLinks(_ recorder: ModelConfiguration.Recorder) throws {
        let file = try File(recorder)
        let context = ModelContext(file.container)
        let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.code)]))
        for album in albums { context.delete(album) }
        try context.save()
        // The link to the first album was removed with it, which is an update of the second one.
        #expect(try file.deletes() == [Self.first, "delete 2: code=2 title=second pictures=- related=-"])
        #expect(try file.rows("SELECT * FROM \(RecorderSQL.removedLinkTable)").isEmpty)
    }

    @Test(arguments: recorders) func aBatchDeletePreservesLinks(_ recorder: ModelConfiguration.Recorder) throws {
        let file = try File(recorder)
        try ModelContext(file.container).delete(model: Album.self, where: #Predicate { $0.code == 1 })
        #expect(try file.deletes() == [Self.first])
    }

    /// Without foreign keys, the links of the row remain in their table.
    @Test(arguments: ["foreign_keys = ON", "foreign_keys = OFF", "foreign_keys = ON; PRAGMA recursive_triggers = ON"])
    func otherProgramsPreserveLinks(_ setting: String) throws {
        let file = try File(.automatic)
        let token = try ModelContext(file.container).currentHistoryToken()
        try file.execute("PRAGMA \(setting); DELETE FROM Album WHERE id = 1")
        #expect(try file.deletes() == [Self.first])
        try expectContent(file, token)
    }

    /// Reads the albums as they were before a delete.
    private func expectContent(_ file: File, _ token: DefaultHistoryToken) throws {
        let past = try ModelContext(file.container, asOf: token)
        let albums = try past.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.code)]))
        #expect(albums.map(\.title) == ["first", "second"])
        #expect(albums[0].pictures.map(\.name).sorted() == ["a", "b"])
        #expect(albums.map { $0.related.map(\.code).sorted() } == [[1, 2], [1]])
    }

    /// Rows that REPLACE deletes, by key, by a unique index, and by an update.
    @Test(
        arguments: [
            "REPLACE INTO Album(id, code, title) VALUES (1, 9, 'new')",
            "REPLACE INTO Album(code, title) VALUES (1, 'new')",
            "UPDATE OR REPLACE Album SET code = 1 WHERE id = 2",
        ], ["OFF", "ON"])
    func replacedRowsPreserveLinks(_ sql: String, recursive: String) throws {
        let file = try File(.automatic)
        let token = try ModelContext(file.container).currentHistoryToken()
        try file.execute("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = \(recursive); \(sql)")
        #expect(try file.deletes() == [Self.first])
        try expectContent(file, token)
    }

    /// The links remain, and are those of the row with the same key. The history does not contain that they were removed.
    @Test func replacedRowsOfProgramsWithoutForeignKeysKeepTheirLinks() throws {
        let file = try File(.automatic)
        try file.execute("REPLACE INTO Album(id, code, title) VALUES (1, 9, 'new'), (2, 8, 'new')")
        #expect(
            try file.deletes() == [
                "delete 1: code=1 title=first", "delete 2: code=2 title=second pictures=-",
            ])
        let context = ModelContext(file.container)
        let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.code)]))
        #expect(albums.map { $0.related.count } == [1, 2])
    }

    @Test func aChangedKeyPreservesTheLinksOfThePreviousOne() throws {
        let file = try File(.automatic)
        try file.execute("UPDATE Album SET id = 7 WHERE id = 1")
        #expect(try file.deletes() == [Self.first])
    }

    /// A delete that another trigger prevents leaves no rows in the history.
    @Test func aPreventedDeleteIsNotRecorded() throws {
        let file = try File(.automatic)
        // The oldest trigger runs last.
        try file.execute(
            "CREATE TRIGGER guard BEFORE DELETE ON Album WHEN OLD.title = 'first' BEGIN SELECT RAISE(IGNORE); END")
        try file.execute("PRAGMA foreign_keys = ON; DELETE FROM Album")
        #expect(try file.deletes() == ["delete 2: code=2 title=second pictures=- related=1"])
        try file.execute("DROP TRIGGER guard; DELETE FROM \"Album.pictures\" WHERE destination = 1")
        try file.execute("PRAGMA foreign_keys = ON; DELETE FROM Album")
        #expect(try file.deletes().last == "delete 1: code=1 title=first pictures=2 related=1")
    }

    @Test(arguments: recorders) func nothingIsPreservedWithoutTheSetting(
        _ recorder: ModelConfiguration.Recorder
    ) throws {
        let file = try File(recorder, preservesValues: false)
        let store = try #require(file.container.stores.first as? DefaultStore)
        let context = ModelContext(file.container)
        try store.setPreservesValues(true)
        try context.delete(model: Album.self, where: #Predicate { $0.code == 1 })
        try store.setPreservesValues(false)
        try context.delete(model: Album.self, where: #Predicate { $0.code == 2 })
        #expect(try file.deletes() == [Self.first, "delete 2: -=-"])
    }

    /// The pre-update hook does not record deletes that reach a link table, but inserts and updates.
    @Test(.enabled(if: Connection.reportsRowChanges)) func tablesWithListsQualifyForTheHook() throws {
        let file = try File(.automatic)
        let schema = try HookSchema(Connection(path: file.url.path, mode: .readWrite))
        let table = try #require(schema.table(ofEntity: "Album"))
        #expect(table.recordsUpdates && !table.recordsDeletes)
    }

    /// Relationships of a class with itself: symmetric ones, those without an inverse, and both sides of a pair.
    @Test(
        arguments: recorders,
        [
            nil, "DELETE FROM LinkItem WHERE name <> 'kept'",
            "DELETE FROM LinkItem WHERE name = 'empty'; DELETE FROM LinkItem WHERE name = 'deleted'",
        ])
    func linksOfAClassWithItselfAreKnown(_ recorder: ModelConfiguration.Recorder, _ sql: String?) throws {
        let directory = try TemporaryDirectory()
        var configuration = ModelConfiguration(
            url: directory.file("items.store"), durability: .relaxed, preservesValues: true)
        configuration.recorder = recorder
        let container = try ModelContainer(for: Schema([LinkItem.self]), configurations: [configuration])
        let context = ModelContext(container)
        let (kept, deleted, empty) = (LinkItem("kept"), LinkItem("deleted"), LinkItem("empty"))
        for item in [kept, deleted, empty] { context.insert(item) }
        (deleted.friends, deleted.idols, deleted.teachers) = (
            [deleted, kept, empty], [deleted, kept], [deleted, empty]
        )
        try context.save()
        let token = try context.currentHistoryToken()
        if let sql {
            try Connection(path: configuration.url.path, mode: .readWrite).execute("PRAGMA foreign_keys = ON; \(sql)")
        } else {
            for item in [deleted, empty] { context.delete(item) }
            try context.save()
        }
        func expectLinks(_ context: ModelContext) throws {
            let items = try context.fetch(FetchDescriptor<LinkItem>(sortBy: [SortDescriptor(\.name)]))
            #expect(items.map(\.name) == ["deleted", "empty", "kept"])
            func expect(_ list: KeyPath<LinkItem, [LinkItem]>, _ names: [[String]]) {
                #expect(items.map { $0[keyPath: list].map(\.name).sorted() } == names, "\(list)")
            }
            expect(\.friends, [["deleted", "empty", "kept"], ["deleted"], ["deleted"]])
            expect(\.idols, [["deleted", "kept"], [], []])
            expect(\.teachers, [["deleted", "empty"], [], []])
            expect(\.students, [["deleted"], ["deleted"], []])
        }
        try expectLinks(ModelContext(container, asOf: token))
        let after = ModelContext(container)
        let plan = try after.revertPlan(between: token, and: after.currentHistoryToken())
        #expect(plan.conflicts.isEmpty)
        try after.apply(plan)
        try after.save()
        try expectLinks(ModelContext(container))
    }

    // MARK: Files of earlier versions

    /// Gives a file the triggers of a version that did not preserve links.
    private func downgrade(_ file: File) throws {
        let connection = try Connection(path: file.url.path, mode: .readWrite)
        try connection.immediate {
            try connection.execute("UPDATE chronicle_attribute SET preserved_deletes = 0 WHERE present = 0")
            let registry = EntityRegistry(connection)
            for entity in try registry.entities() {
                for statement in RecorderSQL.recreateTriggers(of: try registry.table(of: entity)) {
                    try connection.execute(statement)
                }
            }
            try connection.execute("DROP TABLE \(RecorderSQL.removedLinkTable)")
            try MetaTable.removeCompletions(connection)
        }
    }

    @Test func anEarlierFileReceivesTheTriggersWithoutAGap() throws {
        let file = try File(.automatic)
        let definitions = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
        let current = try file.rows(definitions)
        let token = try ModelContext(file.container).currentHistoryToken()
        try downgrade(file)
        try file.execute("PRAGMA foreign_keys = ON; DELETE FROM Album WHERE id = 2")
        let context = try file.reopened()
        #expect(try file.rows(definitions) == current)
        #expect(try file.gap == nil)
        try context.delete(model: Album.self, where: #Predicate { $0.code == 1 })
        // The earlier delete does not tell which links there were.
        #expect(try file.deletes() == ["delete 2: code=2 title=second", Self.first.replacing(" related=2", with: "")])
        #expect(try context.fetchHistory(Descriptor.after(token)).count == 2)
        let past = try ModelContext(file.container, asOf: token)
        #expect(throws: SwiftDataError.historyValueMissing) { try past.fetch(FetchDescriptor<Album>()) }
    }

    /// The link table of a relationship that was removed or renamed is not read by the triggers.
    @Test func theSchemaMayChange() throws {
        let file = try File(.automatic)
        try file.execute("DELETE FROM \"Album.related\" WHERE owner = 1 AND destination = 2")
        let schema = Schema([Renamed.Album.self, Renamed.Picture.self])
        let container = try ModelContainer(
            for: schema,
            configurations: [ModelConfiguration(url: file.url, durability: .relaxed, preservesValues: true)])
        let context = ModelContext(container)
        let albums = try context.fetch(FetchDescriptor<Renamed.Album>(sortBy: [SortDescriptor(\.code)]))
        #expect(albums.map(\.images.count) == [2, 0])
        #expect(albums.map { $0.related?.code } == [1, 1])
        context.delete(albums[0])
        try context.save()
        #expect(try file.gap == nil)
        let line = try #require(try file.deletes().last)
        #expect(line.hasPrefix("delete 1: code=1 title=first") && line.hasSuffix("images=1 images=2"))
    }
}

@Model private final class Album {
    #Unique<Album>([\.code])
    var code: Int
    var title: String
    var pictures: [Picture] = []
    var related: [Album] = []

    init(code: Int, title: String) { (self.code, self.title) = (code, title) }
}

@Model private final class Picture {
    var name: String

    init(_ name: String) { self.name = name }
}

private enum Renamed {
    @Model final class Album {
        #Unique<Album>([\.code])
        var code: Int
        var title: String
        @Relationship(originalName: "pictures") var images: [Picture] = []
        var related: Album?

        init(code: Int, title: String) { (self.code, self.title) = (code, title) }
    }

    @Model final class Picture {
        var name: String

        init(_ name: String) { self.name = name }
    }
}
