import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A file with links that was created for another version of the models.
@Suite struct LinkSchemaTests {
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("links.store") }

    private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
        let configuration = ModelConfiguration(url: file, durability: .relaxed)
        return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
    }

    private func tables() throws -> String {
        try Shell.sqlite3(
            file,
            "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE name LIKE '%.%' AND type = 'table' ORDER BY name)"
        )
    }

    /// A file of the first version with an article that has two labels.
    private func makeFirst() throws {
        let old = try context(Article1.self)
        let article = Article1("a")
        article.labels = [Label1("x"), Label1("y")]
        old.insert(article)
        try old.save()
    }

    @Test func linkTableDefinition() throws {
        try makeFirst()
        #expect(try tables() == "Article.labels")
        let sql = try Shell.sqlite3(file, "SELECT sql FROM sqlite_schema WHERE name = 'Article.labels'")
        #expect(
            sql == """
                CREATE TABLE "Article.labels"(
                    owner INTEGER NOT NULL REFERENCES "Article" ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                    destination INTEGER NOT NULL REFERENCES "Label" ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
                    PRIMARY KEY (owner, destination)
                ) WITHOUT ROWID
                """)
        // Older versions treat the property as a removed attribute.
        #expect(try Shell.sqlite3(file, "SELECT present FROM chronicle_attribute WHERE name = 'labels'") == "0")
        #expect(try Shell.sqlite3(file, "PRAGMA user_version") == "2")
        let version = try Shell.sqlite3(file, "PRAGMA schema_version")
        _ = try context(Article1.self)
        #expect(try Shell.sqlite3(file, "PRAGMA schema_version") == version)
    }

    @Test func definitionIsIndependentOfTheDeclaringSide() throws {
        _ = try context(Article1.self)
        let schema = try Shell.sqlite3(file, "SELECT group_concat(sql) FROM sqlite_schema")
        let other = try TemporaryDirectory().file("other.store")
        _ = try ModelContainer(
            for: Schema(Label1Inverse.self), configurations: [ModelConfiguration(url: other)])
        #expect(try Shell.sqlite3(other, "SELECT group_concat(sql) FROM sqlite_schema") == schema)
    }

    @Test func addingARelationship() throws {
        let old = try context(Article0.self)
        old.insert(Article0("a"))
        try old.save()
        let new = try context(Article1.self)
        let article = try #require(try new.fetch(FetchDescriptor<Article1>()).first)
        #expect(article.labels.isEmpty)
        article.labels = [Label1("x")]
        try new.save()
        // The old program continues to work, and its deletes delete links.
        let again = try context(Article0.self)
        let known = try #require(try again.fetch(FetchDescriptor<Article0>()).first)
        again.delete(known)
        try again.save()
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM \"Article.labels\"") == "0")
        #expect(
            try new.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes.map(\.text) == [
                "update Label/1 articles", "delete Article/1",
            ])
    }

    @Test func renamingAndSwappingBothSides() throws {
        try makeFirst()
        let token = try context(Article1.self).currentHistoryToken()
        let old = try context(Article1.self)
        try #require(try old.fetch(FetchDescriptor<Label1>()).last).articles = []
        try old.save()
        let new = try context(Article2.self)
        // Label.archived sorts after Article.zones, and Article.zones replaced Article.labels.
        #expect(try tables() == "Article.zones")
        #expect(try new.fetch(FetchDescriptor<Article2>()).map { $0.zones.map(\.name) } == [["x"]])
        #expect(try new.fetch(FetchDescriptor<Label2>()).map { $0.archived.map(\.name) } == [["a"], []])
        let changes = try new.fetchHistory(.after(token)).flatMap(\.changes)
        #expect(changes.map(\.text) == ["update Article/1 zones", "update Label/2 archived"])
        guard case .update(let update as DefaultHistoryUpdate<Article2>)? = changes.first else {
            Issue.record("not an update of an article")
            return
        }
        #expect(update.containsAttribute(\.zones))
    }

    @Test func swappingOwnerAndDestination() throws {
        let old = try context(Node1.self)
        let (up, down) = (Node1("up"), Node1("down"))
        up.after = [down]
        old.insert(up)
        try old.save()
        #expect(try tables() == "Node.after")
        let new = try context(Node2.self)
        #expect(try tables() == "Node.before")
        #expect(try Shell.sqlite3(file, "SELECT owner, destination FROM \"Node.before\"") == "2|1")
        #expect(try new.fetch(FetchDescriptor<Node2>()).map { $0.later.map(\.name) } == [["down"], []])
        #expect(try new.fetch(FetchDescriptor<Node2>()).map { $0.before.map(\.name) } == [[], ["up"]])
        let token = try new.currentHistoryToken()
        try #require(try new.fetch(FetchDescriptor<Node2>()).first).later = []
        try new.save()
        #expect(
            Set(try new.fetchHistory(.after(token)).flatMap(\.changes).map(\.text)) == [
                "update Node/1 later", "update Node/2 before",
            ])
    }

    @Test func addingAndRemovingAnInverse() throws {
        try makeFirst()
        let one = try context(ArticleAlone.self)
        let article = try #require(try one.fetch(FetchDescriptor<ArticleAlone>()).first)
        #expect(article.labels.map(\.name) == ["x", "y"])
        let token = try one.currentHistoryToken()
        article.labels.removeLast()
        try one.save()
        #expect(try one.fetchHistory(.after(token)).flatMap(\.changes).map(\.text) == ["update Article/1 labels"])
        let both = try context(Article1.self)
        #expect(try both.fetch(FetchDescriptor<Label1>()).map { $0.articles.map(\.name) } == [["a"], []])
        try #require(try both.fetch(FetchDescriptor<Article1>()).first).labels = []
        try both.save()
        #expect(
            try both.fetchHistory(.after(token)).last?.changes.map(\.text) == [
                "update Article/1 labels", "update Label/1 articles",
            ])
    }

    @Test func mergingTwoRelationshipsIntoOne() throws {
        let apart = try context(NodeApart.self)
        let (one, two) = (NodeApart("one"), NodeApart("two"))
        one.after = [two]
        one.later = [two]
        apart.insert(one)
        try apart.save()
        #expect(try tables() == "Node.after,Node.later")
        let joined = try context(Node1.self)
        #expect(try tables() == "Node.after")
        #expect(try joined.fetch(FetchDescriptor<Node1>()).map { $0.after.map(\.name) } == [["two"], ["one"]])
    }

    @Test func relationshipBecomesItsOwnInverse() throws {
        let apart = try context(NodeApart.self)
        let (one, two) = (NodeApart("one"), NodeApart("two"))
        one.after = [two, one]
        apart.insert(one)
        try apart.save()
        let joined = try context(NodeMutual.self)
        #expect(
            try joined.fetch(FetchDescriptor<NodeMutual>()).map { $0.after.map(\.name) } == [["one", "two"], ["one"]])
    }

    @Test func changingDeleteRules() throws {
        try makeFirst()
        let denying = try context(ArticleDenying.self)
        let article = try #require(try denying.fetch(FetchDescriptor<ArticleDenying>()).first)
        denying.delete(article)
        #expect(throws: SwiftDataError.deleteDenied) { try denying.save() }
        denying.rollback()
        // The file rejects links that the context has not loaded.
        let error = try failure { try denying.delete(model: ArticleDenying.self) }
        #expect(error == .deleteDenied && error?.entityName == "Article")
        article.labels = []
        denying.delete(article)
        try denying.save()
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Article") == "0")
        let again = try context(Article1.self)
        let other = Article1("b")
        other.labels = try again.fetch(FetchDescriptor<Label1>())
        again.insert(other)
        try again.save()
        again.delete(other)
        try again.save()
    }

    @Test(arguments: [60, 61, 62, 123, 130]) func linksBeyondTheFirstMaskAreRecorded(_ last: Int) throws {
        _ = try context(Article0.self)
        _ = try Shell.sqlite3(
            file, "INSERT INTO chronicle_attribute VALUES (1, \(last), 'gone', NULL, NULL, 0, 0, 0, 0)")
        let new = try context(Article1.self)
        let articles = ["a", "b"].map { Article1($0) }
        for article in articles { new.insert(article) }
        new.insert(Label1("x"))
        try new.save()
        let token = try new.currentHistoryToken()
        // Two statements, but one update.
        articles[0].labels = try new.fetch(FetchDescriptor<Label1>())
        articles[0].name = "c"
        articles[1].labels = articles[0].labels
        try new.save()
        let changes = try new.fetchHistory(.after(token)).flatMap(\.changes).map(\.text)
        #expect(Set(changes) == ["update Article/1 name+labels", "update Article/2 labels", "update Label/1 articles"])
        #expect(changes.count == 3)
    }

    @Test func tableWithAddedColumnsIsKept() throws {
        try makeFirst()
        _ = try Shell.sqlite3(file, "ALTER TABLE \"Article.labels\" ADD COLUMN since REAL DEFAULT 7")
        let denying = try context(ArticleDenying.self)
        let article = try #require(try denying.fetch(FetchDescriptor<ArticleDenying>()).first)
        #expect(article.labels.map(\.name) == ["x", "y"])
        article.labels.removeLast()
        try denying.save()
        #expect(try Shell.sqlite3(file, "SELECT owner, destination, since FROM \"Article.labels\"") == "1|1|7.0")
    }

    @Test func changingTheDestinationClassRequiresAnEmptyTable() throws {
        try makeFirst()
        let error = try failure { try context(ArticleElsewhere.self) }
        #expect(error == .backwardMigration && error?.entityName == "Article" && error?.propertyName == "labels")
        _ = try Shell.sqlite3(file, "DELETE FROM \"Article.labels\"")
        let new = try context(ArticleElsewhere.self)
        let article = try #require(try new.fetch(FetchDescriptor<ArticleElsewhere>()).first)
        article.labels = [NodeApart("n")]
        try new.save()
        #expect(article.labels.map(\.name) == ["n"])
    }

    @Test func readOnlyFileRequiresTheLinkTable() throws {
        _ = try context(Article0.self)
        let configuration = ModelConfiguration(url: file, allowsSave: false)
        let error = try failure { try ModelContainer(for: Article1.self, configurations: configuration) }
        #expect(error == .loadIssueModelContainer)
        try makeFirst()
        let reader = ModelContext(try ModelContainer(for: Article1.self, configurations: configuration))
        #expect(try reader.fetch(FetchDescriptor<Article1>()).map(\.labels.count) == [2])
    }

    @Test func namesEqualInSQLiteThrow() throws {
        let error = try failure { try context(Shouting.self) }
        #expect(error == .invalidModel)
        #expect(error?.detail?.contains("SQLite ignores case") == true)
    }
}

private final class Article0: PersistentModel {
    @Attribute var name: String
    static let entityName = "Article"
    static let properties: PropertyMap<Article0> = ["name": \.name]
    let persistentBackingData: any BackingData<Article0>
    init(backingData: any BackingData<Article0>) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = Article0.createBackingData()
        self.name = name
    }
}

private final class Article1: PersistentModel {
    @Attribute var name: String
    @Relationship(inverse: \Label1.articles) var labels: [Label1]
    static let entityName = "Article"
    static let properties: PropertyMap<Article1> = ["name": \.name, "labels": \.labels]
    let persistentBackingData: any BackingData<Article1>
    init(backingData: any BackingData<Article1>) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = Article1.createBackingData()
        self.name = name
    }
}

private final class Label1: PersistentModel {
    @Attribute var name: String
    @Relationship var articles: [Article1]
    static let entityName = "Label"
    static let properties: PropertyMap<Label1> = ["name": \.name, "articles": \.articles]
    let persistentBackingData: any BackingData<Label1>
    init(backingData: any BackingData<Label1>) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = Label1.createBackingData()
        self.name = name
    }
}

private final class Label1Inverse: PersistentModel {
    @Attribute var name: String
    @Relationship(inverse: \Article1Inverse.labels) var articles: [Article1Inverse]
    static let entityName = "Label"
    static let properties: PropertyMap<Label1Inverse> = ["name": \.name, "articles": \.articles]
    let persistentBackingData: any BackingData<Label1Inverse>
    init(backingData: any BackingData<Label1Inverse>) { persistentBackingData = backingData }
}

private final class Article1Inverse: PersistentModel {
    @Attribute var name: String
    @Relationship var labels: [Label1Inverse]
    static let entityName = "Article"
    static let properties: PropertyMap<Article1Inverse> = ["name": \.name, "labels": \.labels]
    let persistentBackingData: any BackingData<Article1Inverse>
    init(backingData: any BackingData<Article1Inverse>) { persistentBackingData = backingData }
}

private final class Article2: PersistentModel {
    @Attribute var name: String
    @Relationship(originalName: "labels", inverse: \Label2.archived) var zones: [Label2]
    static let entityName = "Article"
    static let properties: PropertyMap<Article2> = ["name": \.name, "zones": \.zones]
    let persistentBackingData: any BackingData<Article2>
    init(backingData: any BackingData<Article2>) { persistentBackingData = backingData }
}

private final class Label2: PersistentModel {
    @Attribute var name: String
    @Relationship(originalName: "articles") var archived: [Article2]
    static let entityName = "Label"
    static let properties: PropertyMap<Label2> = ["name": \.name, "archived": \.archived]
    let persistentBackingData: any BackingData<Label2>
    init(backingData: any BackingData<Label2>) { persistentBackingData = backingData }
}

private final class ArticleAlone: PersistentModel {
    @Attribute var name: String
    @Relationship var labels: [LabelAlone]
    static let entityName = "Article"
    static let properties: PropertyMap<ArticleAlone> = ["name": \.name, "labels": \.labels]
    let persistentBackingData: any BackingData<ArticleAlone>
    init(backingData: any BackingData<ArticleAlone>) { persistentBackingData = backingData }
}

private final class LabelAlone: PersistentModel {
    @Attribute var name: String
    static let entityName = "Label"
    static let properties: PropertyMap<LabelAlone> = ["name": \.name]
    let persistentBackingData: any BackingData<LabelAlone>
    init(backingData: any BackingData<LabelAlone>) { persistentBackingData = backingData }
}

private final class ArticleDenying: PersistentModel {
    @Attribute var name: String
    @Relationship(deleteRule: .deny) var labels: [LabelAlone]
    static let entityName = "Article"
    static let properties: PropertyMap<ArticleDenying> = ["name": \.name, "labels": \.labels]
    let persistentBackingData: any BackingData<ArticleDenying>
    init(backingData: any BackingData<ArticleDenying>) { persistentBackingData = backingData }
}

private final class ArticleElsewhere: PersistentModel {
    @Attribute var name: String
    @Relationship var labels: [NodeApart]
    static let entityName = "Article"
    static let properties: PropertyMap<ArticleElsewhere> = ["name": \.name, "labels": \.labels]
    let persistentBackingData: any BackingData<ArticleElsewhere>
    init(backingData: any BackingData<ArticleElsewhere>) { persistentBackingData = backingData }
}

private final class Node1: PersistentModel {
    @Attribute var name: String
    @Relationship(inverse: \Node1.later) var after: [Node1]
    @Relationship var later: [Node1]
    static let entityName = "Node"
    static let properties: PropertyMap<Node1> = ["name": \.name, "after": \.after, "later": \.later]
    let persistentBackingData: any BackingData<Node1>
    init(backingData: any BackingData<Node1>) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = Node1.createBackingData()
        self.name = name
    }
}

private final class Node2: PersistentModel {
    @Attribute var name: String
    @Relationship(originalName: "after", inverse: \Node2.before) var later: [Node2]
    @Relationship(originalName: "later") var before: [Node2]
    static let entityName = "Node"
    static let properties: PropertyMap<Node2> = ["name": \.name, "later": \.later, "before": \.before]
    let persistentBackingData: any BackingData<Node2>
    init(backingData: any BackingData<Node2>) { persistentBackingData = backingData }
}

private final class NodeApart: PersistentModel {
    @Attribute var name: String
    @Relationship var after: [NodeApart]
    @Relationship var later: [NodeApart]
    static let entityName = "Node"
    static let properties: PropertyMap<NodeApart> = ["name": \.name, "after": \.after, "later": \.later]
    let persistentBackingData: any BackingData<NodeApart>
    init(backingData: any BackingData<NodeApart>) { persistentBackingData = backingData }
    init(_ name: String) {
        persistentBackingData = NodeApart.createBackingData()
        self.name = name
    }
}

private final class NodeMutual: PersistentModel {
    @Attribute var name: String
    static var back: AnyKeyPath { \NodeMutual.after }
    @Relationship(inverse: NodeMutual.back) var after: [NodeMutual]
    static let entityName = "Node"
    static let properties: PropertyMap<NodeMutual> = ["name": \.name, "after": \.after]
    let persistentBackingData: any BackingData<NodeMutual>
    init(backingData: any BackingData<NodeMutual>) { persistentBackingData = backingData }
}

private final class Shouting: PersistentModel {
    @Relationship var labels: [LabelAlone]
    @Relationship var LABELS: [LabelAlone]
    static let properties: PropertyMap<Shouting> = ["labels": \.labels, "LABELS": \.LABELS]
    let persistentBackingData: any BackingData<Shouting>
    init(backingData: any BackingData<Shouting>) { persistentBackingData = backingData }
}
