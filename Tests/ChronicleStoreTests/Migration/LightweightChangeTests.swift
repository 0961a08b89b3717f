import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Changes of models that need no migration plan.
@Suite struct LightweightChangeTests {
    private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    private let file: URL

    init() throws { file = try TemporaryDirectory().file("changing.store") }

    private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(types), configurations: ModelConfiguration(url: file, durability: .relaxed)))
    }

    private func sql(_ statement: String) throws -> String { try Shell.sqlite3(file, statement) }

    // MARK: Entities

    @Test func renamedEntityKeepsModelsLinksAndHistory() throws {
        let old = try context(Before.Book.self)
        let book = Before.Book(title: "Dune")
        old.insert(book)
        book.tags = [Before.Tag(name: "sand")]
        book.shelf = Before.Shelf(name: "top")
        try old.save()
        let token = try old.currentHistoryToken()
        let new = try context(After.Novel.self)
        let novel = try #require(try new.fetch(FetchDescriptor<After.Novel>()).first)
        #expect(novel.title == "Dune" && novel.tags.map(\.name) == ["sand"] && novel.shelf?.name == "top")
        #expect(novel.shelf?.books.map(\.title) == ["Dune"])
        #expect(try new.fetchHistory(Descriptor.after(token)).isEmpty)
        let insert = try #require(
            try new.fetchHistory(Descriptor()).flatMap(\.changes).first {
                $0.changedPersistentIdentifier.entityName == "Novel"
            })
        guard case .insert(is DefaultHistoryInsert<After.Novel>) = insert else {
            Issue.record("\(insert)")
            return
        }
        novel.tags = []
        novel.title = "Dune Messiah"
        new.insert(After.Novel(title: "Ubik"))
        try new.save()
        let keys = try sql("SELECT group_concat(id) FROM (SELECT id FROM Novel ORDER BY id)")
        #expect(keys == "1,2")
        #expect(try sql("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%Book%'") == "0")
        #expect(try sql("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
        let reopened = try context(After.Novel.self)
        #expect(try reopened.fetchCount(FetchDescriptor<After.Novel>()) == 2)
        #expect(try reopened.fetchHistory(Descriptor.after(token)).count == 1)
    }

    // MARK: Attributes

    @Test func requiredPropertiesCanBeRemovedAndDeclaredAgain() throws {
        let old = try context(Full.Note.self)
        old.insert(Full.Note(text: "a", folder: Full.Folder()))
        try old.save()
        let new = try context(Short.Note.self)
        #expect(try new.fetch(FetchDescriptor<Short.Note>()).map(\.title) == [nil])
        try new.delete(model: Short.Folder.self)
        try new.save()
        #expect(try sql("SELECT count(*), count(folder), text FROM Note") == "1|0|a")
        new.insert(Short.Note())
        try new.save()
        // The new row has no value for the required attribute.
        #expect(throws: SwiftDataError.backwardMigration) { _ = try context(Full.Note.self) }
        try new.delete(model: Short.Note.self)
        let again = try context(Full.Note.self)
        again.insert(Full.Note(text: "b", folder: Full.Folder()))
        try again.save()
        #expect(throws: SwiftDataError.deleteDenied) { try again.delete(model: Full.Folder.self) }
    }

    @Test func requiredAttributeTakesItsDefaultValue() throws {
        let old = try context(Short.Note.self)
        old.insert(Short.Note())
        let named = Short.Note()
        named.title = "named"
        old.insert(named)
        try old.save()
        let token = try old.currentHistoryToken()
        let new = try context(Titled.Note.self)
        #expect(try new.fetch(FetchDescriptor<Titled.Note>()).map(\.heading) == ["untitled", "named"])
        let transactions = try new.fetchHistory(Descriptor.after(token))
        #expect(transactions.map(\.author) == [MigrationStage.author])
        guard case .update(let change as DefaultHistoryUpdate<Titled.Note>)? = transactions.first?.changes.first else {
            Issue.record("\(transactions)")
            return
        }
        #expect(transactions.first?.changes.count == 1 && change.containsAttribute(\.heading))
    }

    // MARK: Relationships

    /// A to-one relationship becomes to-many and to-one again, without an inverse and with one.
    @Test func toOneRelationshipBecomesToManyAndBack() throws {
        let one = try context(One.Item.self)
        for name in ["a", "b", "c"] {
            let item = One.Item(name: name)
            one.insert(item)
            item.photo = name == "c" ? nil : One.Photo(name: "photo of \(name)")
            item.box = One.Box(name: "box of \(name)")
        }
        try one.save()
        let token = try one.currentHistoryToken()
        let many = try context(Many.Item.self)
        let sort = [SortDescriptor(\Many.Item.name)]
        let items = try many.fetch(FetchDescriptor(sortBy: sort))
        #expect(items.map { $0.photo.map(\.name) } == [["photo of a"], ["photo of b"], []])
        #expect(items.map { $0.boxes.map(\.name) } == [["box of a"], ["box of b"], ["box of c"]])
        #expect(items[0].boxes.first?.items.map(\.name) == ["a"])
        #expect(try many.fetchHistory(Descriptor.after(token)).map(\.author) == [MigrationStage.author])
        #expect(try sql("SELECT group_concat(name) FROM pragma_table_info('Item')") == "id,name")
        items[2].photo = [Many.Photo(name: "new")]
        try many.save()
        let back = try context(One.Item.self)
        let restored = try back.fetch(FetchDescriptor(sortBy: [SortDescriptor(\One.Item.name)]))
        #expect(restored.map { $0.photo?.name } == ["photo of a", "photo of b", "new"])
        #expect(restored.map { $0.box?.name } == ["box of a", "box of b", "box of c"])
        #expect(try sql("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%.%'") == "0")
        #expect(try sql("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
    }

    @Test func listWithSeveralElementsCannotBecomeToOne() throws {
        let many = try context(Many.Item.self)
        let item = Many.Item(name: "a")
        many.insert(item)
        item.photo = [Many.Photo(name: "1"), Many.Photo(name: "2")]
        try many.save()
        let before = try sql("SELECT sql FROM sqlite_schema ORDER BY name")
        let error = try #require(throws: SwiftDataError.self) { _ = try context(One.Item.self) }
        #expect(error == .backwardMigration && error.entityName == "Item" && error.propertyName == "photo")
        #expect(try sql("SELECT sql FROM sqlite_schema ORDER BY name") == before)
        item.photo.removeLast()
        try many.save()
        #expect(try context(One.Item.self).fetch(FetchDescriptor<One.Item>()).first?.photo?.name == "1")
    }

    /// The list of a one-to-many relationship is kept in the column of its inverse.
    @Test func listOfAnInverseBecomesToOne() throws {
        let lists = try context(Lists.Owner.self)
        let owner = Lists.Owner()
        lists.insert(owner)
        owner.pets = [Lists.Pet(name: "Rex")]
        try lists.save()
        let single = try context(Single.Owner.self)
        #expect(try single.fetch(FetchDescriptor<Single.Owner>()).first?.pet?.name == "Rex")
        single.insert(Single.Owner())
        try single.save()
        let again = try context(Lists.Owner.self)
        #expect(try again.fetch(FetchDescriptor<Lists.Owner>()).map { $0.pets.map(\.name) } == [["Rex"], []])
    }
}

private enum Before {
    @Model fileprivate final class Book {
        #Unique<Book>([\.title])
        var title: String
        @Relationship(inverse: \Tag.books) var tags: [Tag] = []
        @Relationship(inverse: \Shelf.books) var shelf: Shelf?
        init(title: String) { self.title = title }
    }
    @Model fileprivate final class Tag {
        var name: String
        var books: [Book] = []
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Shelf {
        var name: String
        var books: [Book] = []
        init(name: String) { self.name = name }
    }
}

private enum After {
    @Model(originalName: "Book") fileprivate final class Novel {
        #Unique<Novel>([\.title])
        var title: String
        @Relationship(inverse: \Tag.books) var tags: [Tag] = []
        @Relationship(inverse: \Shelf.books) var shelf: Shelf?
        init(title: String) { self.title = title }
    }
    @Model fileprivate final class Tag {
        var name: String
        var books: [Novel] = []
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Shelf {
        var name: String
        var books: [Novel] = []
        init(name: String) { self.name = name }
    }
}

private enum Full {
    @Model fileprivate final class Note {
        var title: String?
        var text: String
        var folder: Folder
        init(text: String, folder: Folder) {
            self.text = text
            self.folder = folder
        }
    }
    @Model fileprivate final class Folder { init() {} }
}

private enum Short {
    @Model fileprivate final class Note {
        var title: String?
        var other: Folder?
        init() {}
    }
    @Model fileprivate final class Folder { init() {} }
}

private enum Titled {
    @Model fileprivate final class Note {
        @Attribute(originalName: "title") var heading: String = "untitled"
        init() {}
    }
}

private enum One {
    @Model fileprivate final class Item {
        var name: String
        var photo: Photo?
        @Relationship(originalName: "boxes", inverse: \Box.items) var box: Box?
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Photo {
        var name: String
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Box {
        var name: String
        var items: [Item] = []
        init(name: String) { self.name = name }
    }
}

private enum Many {
    @Model fileprivate final class Item {
        var name: String
        var photo: [Photo] = []
        @Relationship(originalName: "box", inverse: \Box.items) var boxes: [Box] = []
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Photo {
        var name: String
        init(name: String) { self.name = name }
    }
    @Model fileprivate final class Box {
        var name: String
        var items: [Item] = []
        init(name: String) { self.name = name }
    }
}

private enum Lists {
    @Model fileprivate final class Owner {
        @Relationship(originalName: "pet", inverse: \Pet.owner) var pets: [Pet] = []
        init() {}
    }
    @Model fileprivate final class Pet {
        var name: String
        var owner: Owner?
        init(name: String) { self.name = name }
    }
}

private enum Single {
    @Model fileprivate final class Owner {
        @Relationship(originalName: "pets") var pet: Pet?
        init() {}
    }
    @Model fileprivate final class Pet {
        var name: String
        init(name: String) { self.name = name }
    }
}
