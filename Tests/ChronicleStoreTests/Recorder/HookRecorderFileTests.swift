import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Files that other programs, or other versions of the models, changed have the same history with both recorders.
@Suite(.enabled(if: Connection.reportsRowChanges)) struct HookRecorderFileTests {
    /// A file whose saves one of the recorders records.
    private struct File {
        let url: URL
        let recorder: ModelConfiguration.Recorder
        let preservesValues: Bool

        func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
            var configuration = ModelConfiguration(
                url: url, durability: .relaxed, preservesValues: preservesValues)
            configuration.recorder = recorder
            return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
        }

        /// Makes changes as another program.
        func execute(_ sql: String) throws {
            try Connection(path: url.path, mode: .readWrite).execute(sql)
        }

        /// Returns the rows of a query, and `-` for NULL.
        func rows(_ sql: String) throws -> [String] {
            let statement = try Connection(path: url.path, mode: .readWrite).prepare(sql)
            var rows: [String] = []
            while try statement.step() {
                let values = (0..<statement.columnCount).map { statement.isNull($0) ? "-" : statement.text($0) }
                rows.append(values.joined(separator: "|"))
            }
            return rows
        }
    }

    private static let changes =
        "SELECT kind, primary_key, attributes, old_value, new_value FROM chronicle_change WHERE kind > 0 ORDER BY id"

    /// Makes the same changes in two files, with one recorder each, and returns the rows of a query that the
    /// triggers and the hook wrote.
    private func results(
        of query: String = changes, preservesValues: Bool, _ change: (File) throws -> Void
    ) throws -> (triggers: [String], hook: [String]) {
        let directory = try TemporaryDirectory()
        func result(_ recorder: ModelConfiguration.Recorder) throws -> [String] {
            let file = File(
                url: directory.file("\(recorder.rawValue).store"), recorder: recorder,
                preservesValues: preservesValues)
            try change(file)
            return try file.rows(query)
        }
        return try (result(.triggers), result(.automatic))
    }

    /// SQLite does not rewrite the rows of a table to which it adds a column.
    @Test(arguments: [false, true]) func rowsWithoutANewColumnHaveItsDefaultValue(preservesValues: Bool) throws {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let old = try file.context(Plain.self)
            for number in 0..<4 { old.insert(Plain(number: number)) }
            try old.save()
            let new = try file.context(Rated.self)
            let models = try new.fetch(FetchDescriptor<Rated>(sortBy: [SortDescriptor(\.number)]))
            new.delete(models[0])
            try new.save()
            models[1].rating = 4
            try new.save()
            old.insert(Plain(number: 9))
            try old.save()
            models[2].title = "b"
            try new.save()
            models[2].rating = 5
            try new.save()
        }
        #expect(hook == triggers)
    }

    @Test(arguments: [false, true]) func rowsWithoutANewOptionalColumnHaveItsDefaultValue(preservesValues: Bool) throws
    {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let old = try file.context(Plain.self)
            for number in 0..<4 { old.insert(Plain(number: number)) }
            try old.save()
            let new = try file.context(Extended.self)
            let models = try new.fetch(FetchDescriptor<Extended>(sortBy: [SortDescriptor(\.number)]))
            new.delete(models[0])
            try new.save()
            models[1].mark = nil
            try new.save()
            models[2].mark = "x"
            try new.save()
            models[3].title = "b"
            try new.save()
        }
        #expect(hook == triggers)
    }

    /// SQLite ignores the case of ASCII letters only.
    @Test(arguments: [false, true]) func columnsThatDifferInTheCaseOfOtherLetters(preservesValues: Bool) throws {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let context = try file.context(TwoCases.self)
            let model = TwoCases()
            context.insert(model)
            try context.save()
            model.é = 2
            try context.save()
            model.É = 3
            try context.save()
            context.delete(model)
            try context.save()
        }
        #expect(hook == triggers)
    }

    /// Another process renamed the column to a name that SQLite considers equal.
    @Test(arguments: [false, true]) func aColumnWhoseCaseChanges(preservesValues: Bool) throws {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let context = try file.context(Titled.self)
            let title = Titled(title: "a")
            context.insert(title)
            try context.save()
            _ = try file.context(Capital.self)
            title.title = "b"
            try context.save()
        }
        #expect(hook == triggers)
    }

    /// Another program added a column whose name is equivalent in Unicode, but different in SQLite.
    @Test(arguments: [false, true]) func columnsWithEquivalentNames(preservesValues: Bool) throws {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let context = try file.context(TwoCases.self)
            let model = TwoCases()
            context.insert(model)
            try context.save()
            try file.execute("ALTER TABLE HookTwoCases ADD COLUMN \"e\u{301}\"")
            model.é = 2
            try context.save()
        }
        #expect(hook == triggers)
    }

    @Test(arguments: [false, true]) func aTriggerOnTheHistoryFires(preservesValues: Bool) throws {
        let (triggers, hook) = try results(
            of: "SELECT count(*), total(what > 0) FROM seen", preservesValues: preservesValues
        ) { file in
            let context = try file.context(Plain.self)
            context.insert(Plain())
            try context.save()
            try file.execute(
                """
                CREATE TABLE seen(what);
                CREATE TRIGGER watch AFTER INSERT ON chronicle_change BEGIN INSERT INTO seen VALUES (NEW.kind); END;
                INSERT INTO HookDocument(title, number) VALUES ('other', 1);
                """)
            for _ in 0..<3 {
                context.insert(Plain())
                try context.save()
            }
        }
        #expect(hook == triggers)
    }

    /// The update is repeated because an action of another program's foreign key violated a uniqueness constraint.
    @Test(arguments: [false, true]) func anUpdateWhoseActionFailsIsRecordedOnce(preservesValues: Bool) throws {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let context = try file.context(Titled.self)
            let models = ["a", "B"].map(Titled.init(title:))
            for model in models {
                context.insert(model)
                try context.save()
            }
            try file.execute(
                """
                CREATE TABLE copy(title TEXT UNIQUE COLLATE NOCASE
                    REFERENCES HookTitled(title) ON UPDATE CASCADE);
                INSERT INTO copy VALUES ('a'), ('B');
                """)
            models[0].title = "b"
            models[1].title = "c"
            try context.save()
        }
        #expect(hook == triggers)
    }

    /// A newer version of the models added the entity while the store was open.
    @Test(arguments: [false, true]) func aNoteOfAnEntityThatTheStoreDoesNotKnow(preservesValues: Bool) throws {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let old = try file.context(Titled.self)
            let title = Titled(title: "a")
            old.insert(title)
            try old.save()
            let new = try file.context(TitledWithBadges.self, Badge.self)
            let badge = Badge(try new.fetch(FetchDescriptor<TitledWithBadges>()).first)
            new.insert(badge)
            try new.save()
            try file.execute("INSERT OR IGNORE INTO HookBadge(id, name) VALUES (1, 'other')")
            old.delete(title)
            try old.save()
            try file.execute("INSERT INTO HookBadge(name) VALUES ('next')")
        }
        #expect(hook == triggers)
    }

    /// A cascade deletes a row directly, and another one through a table of another program.
    @Test(arguments: [false, true]) func theOrderOfACascadeThroughAnotherTable(preservesValues: Bool) throws {
        let (triggers, hook) = try results(preservesValues: preservesValues) { file in
            let old = try file.context(Titled.self)
            old.insert(Titled(title: "a"))
            try old.save()
            try file.execute("CREATE TABLE box(id INTEGER PRIMARY KEY, title REFERENCES HookTitled ON DELETE CASCADE)")
            let new = try file.context(TitledWithBadges.self, Badge.self)
            let title = try #require(try new.fetch(FetchDescriptor<TitledWithBadges>()).first)
            new.insert(Badge(title))
            new.insert(Badge(nil))
            try new.save()
            try file.execute(
                """
                ALTER TABLE HookBadge ADD COLUMN box REFERENCES box ON DELETE CASCADE;
                INSERT INTO box(title) VALUES (1);
                UPDATE HookBadge SET box = 1 WHERE title IS NULL;
                """)
            let deleted = try #require(try old.fetch(FetchDescriptor<Titled>()).first)
            old.delete(deleted)
            try old.save()
        }
        #expect(hook == triggers)
        let deletes = hook.map { $0.split(separator: "|").prefix(2).joined(separator: "|") }.filter {
            $0.hasPrefix("19|") || $0.hasPrefix("35|")
        }
        #expect(deletes.sorted() == ["19|1", "35|1", "35|2"])
    }
}

private final class Plain: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var title: String
    @Attribute var number: Int
    static let entityName = "HookDocument"
    static let properties: PropertyMap<Plain> = ["title": \.title, "number": \.number]
    let persistentBackingData: any BackingData<Plain> = Plain.createBackingData()
    init(backingData: any BackingData<Plain>) { persistentBackingData.adopt(backingData) }

    init(number: Int = 1) {
        title = "a"
        self.number = number
    }
}

private final class Extended: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var title: String
    @Attribute var number: Int
    @Attribute(.preserveValueOnDeletion) var mark: String? = "x"
    static let entityName = "HookDocument"
    static let properties: PropertyMap<Extended> = ["title": \.title, "number": \.number, "mark": \.mark]
    let persistentBackingData: any BackingData<Extended> = Extended.createBackingData()
    init(backingData: any BackingData<Extended>) { persistentBackingData.adopt(backingData) }
}

private final class Rated: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var title: String
    @Attribute var number: Int
    @Attribute(.preserveValueOnDeletion) var rating = 3
    static let entityName = "HookDocument"
    static let properties: PropertyMap<Rated> = ["title": \.title, "number": \.number, "rating": \.rating]
    let persistentBackingData: any BackingData<Rated> = Rated.createBackingData()
    init(backingData: any BackingData<Rated>) { persistentBackingData.adopt(backingData) }
}

private final class TwoCases: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var É: Int
    @Attribute(.preserveValueOnDeletion) var é: Int
    static let entityName = "HookTwoCases"
    static let properties: PropertyMap<TwoCases> = ["É": \.É, "é": \.é]
    let persistentBackingData: any BackingData<TwoCases> = TwoCases.createBackingData()
    init(backingData: any BackingData<TwoCases>) { persistentBackingData.adopt(backingData) }

    init() { (É, é) = (1, 1) }
}

private final class Titled: PersistentModel {
    @Attribute var title: String
    static let entityName = "HookTitled"
    static let properties: PropertyMap<Titled> = ["title": \.title]
    static let uniqueness: Uniqueness<Titled> = [[\.title]]
    let persistentBackingData: any BackingData<Titled> = Titled.createBackingData()
    init(backingData: any BackingData<Titled>) { persistentBackingData.adopt(backingData) }

    init(title: String) { self.title = title }
}

private final class Capital: PersistentModel {
    @Attribute(originalName: "title") var Title: String
    static let entityName = "HookTitled"
    static let properties: PropertyMap<Capital> = ["Title": \.Title]
    static let uniqueness: Uniqueness<Capital> = [[\.Title]]
    let persistentBackingData: any BackingData<Capital> = Capital.createBackingData()
    init(backingData: any BackingData<Capital>) { persistentBackingData.adopt(backingData) }
}

private final class TitledWithBadges: PersistentModel {
    @Attribute var title: String
    @Relationship(deleteRule: .cascade, inverse: \Badge.title) var badges: [Badge]
    static let entityName = "HookTitled"
    static let properties: PropertyMap<TitledWithBadges> = ["title": \.title, "badges": \.badges]
    static let uniqueness: Uniqueness<TitledWithBadges> = [[\.title]]
    let persistentBackingData: any BackingData<TitledWithBadges> = TitledWithBadges.createBackingData()
    init(backingData: any BackingData<TitledWithBadges>) { persistentBackingData.adopt(backingData) }
}

private final class Badge: PersistentModel {
    @Attribute var name: String
    @Relationship var title: TitledWithBadges?
    static let entityName = "HookBadge"
    static let properties: PropertyMap<Badge> = ["name": \.name, "title": \.title]
    let persistentBackingData: any BackingData<Badge> = Badge.createBackingData()
    init(backingData: any BackingData<Badge>) { persistentBackingData.adopt(backingData) }

    init(_ title: TitledWithBadges?) {
        name = "badge"
        self.title = title
    }
}
