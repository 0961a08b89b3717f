import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Saves in which delete rules, unique values, numbers of destinations and deletes by other writers meet.
@Suite("Rules of a save") struct SaveRuleTests {
    static let models: [any PersistentModel.Type] = [
        Recipe.self, Picture.self, Stamp.self, Note.self, Shelf.self, Book.self, Page.self, Album.self, Crate.self,
        CrateLabel.self, Tray.self, Slip.self,
    ]

    private func context(_ kind: StoreKind) throws -> (ModelContext, TestStore) {
        let store = try TestStore(kind, Self.models, preservesValues: true)
        return (store.context(), store)
    }

    private func all<Model: PersistentModel>(_: Model.Type, _ store: TestStore) throws -> [Model] {
        try store.context().fetch(FetchDescriptor<Model>())
    }

    /// Deletes the row of a model as another writer.
    private func deleteElsewhere(_ model: any PersistentModel, _ store: TestStore) throws {
        let other = store.context()
        func delete<Model: PersistentModel>(_ model: Model) throws {
            other.delete(try other.existingModel(for: model.persistentModelID))
        }
        try delete(model)
        try other.save()
    }

    // MARK: Required references

    /// Rows take each other's place in a unique constraint, and the owner that one of them leaves is deleted.
    @Test(arguments: StoreKind.allCases) func requiredReferenceLeavesADeletedOwner(_ kind: StoreKind) throws {
        let (_, store) = try context(kind)
        #expect(try Tray.moveSlips(store.container) == ["1:1 1:2 2:1, 2 updates", "2:1 2:2 2:3, 3 updates"])
    }

    // MARK: Cascades along links

    /// How the program keeps a model that a delete rule deleted.
    enum Keeping: String, CaseIterable { case insert, insertAfterOwnDelete, otherOwner, otherOwnerOfInverse }

    @Test(arguments: StoreKind.allCases, Keeping.allCases)
    func keptDestinationSurvives(_ kind: StoreKind, _ keeping: Keeping) throws {
        let (context, store) = try context(kind)
        let (recipe, other, picture, stamp) = (Recipe("r"), Recipe("o"), Picture("p"), Stamp("s"))
        for model in [recipe, other, picture, stamp] as [any PersistentModel] { context.insert(model) }
        recipe.pictures = [picture]
        recipe.stamps = [stamp]
        try context.save()
        if keeping == .insertAfterOwnDelete {
            context.delete(picture)
            context.delete(stamp)
        }
        context.delete(recipe)
        #expect(picture.isDeleted && stamp.isDeleted)
        switch keeping {
        case .insert, .insertAfterOwnDelete:
            context.insert(picture)
            context.insert(stamp)
        case .otherOwner:
            other.pictures.append(picture)
            other.stamps.append(stamp)
        case .otherOwnerOfInverse:
            context.insert(picture)
            stamp.recipes = [other]
        }
        #expect(context.deletedModelsArray.count == 1 && !picture.isDeleted && !stamp.isDeleted)
        try context.save()
        #expect(try all(Picture.self, store).count == 1 && all(Recipe.self, store).map(\.name) == ["o"])
        let stamps = try all(Stamp.self, store)
        #expect(
            stamps.flatMap(\.recipes).map(\.name) == (keeping.rawValue.hasPrefix("insert") ? [] : ["o"])
                && stamps.count == 1)
        #expect(!context.hasChanges && picture.modelContext === context)
    }

    @Test(arguments: StoreKind.allCases) func ownerThatReturnsHasNoLinkToAKeptDestination(_ kind: StoreKind) throws {
        let (context, store) = try context(kind)
        let recipe = Recipe("r")
        context.insert(recipe)
        let pictures = [Picture("a"), Picture("b")]
        recipe.pictures = pictures
        try context.save()
        context.delete(recipe)
        context.insert(pictures[0])
        context.insert(recipe)
        // The program deleted the recipe, so that what this caused remains.
        #expect(pictures[1].isDeleted && recipe.pictures.isEmpty)
        try context.save()
        #expect(try all(Recipe.self, store)[0].pictures.isEmpty)
        #expect(try all(Picture.self, store).map(\.name) == ["a"])
    }

    @Test(arguments: StoreKind.allCases) func keptDestinationSurvivesALinkThatOthersAddedToo(_ kind: StoreKind) throws {
        let (context, store) = try context(kind)
        let (recipe, picture, stamp) = (Recipe("r"), Picture("p"), Stamp("s"))
        for model in [recipe, picture, stamp] as [any PersistentModel] { context.insert(model) }
        try context.save()
        recipe.pictures.append(picture)
        recipe.stamps.append(stamp)
        let other = store.context()
        let theirs = try other.existingModel(for: recipe.persistentModelID) as? Recipe
        theirs?.pictures = try other.fetch(FetchDescriptor<Picture>())
        theirs?.stamps = try other.fetch(FetchDescriptor<Stamp>())
        try other.save()
        context.delete(recipe)
        #expect(picture.isDeleted && stamp.isDeleted)
        context.insert(picture)
        context.insert(stamp)
        try context.save()
        #expect(try all(Picture.self, store).count == 1 && all(Stamp.self, store).count == 1)
        #expect(try all(Recipe.self, store).isEmpty)
    }

    @Test(arguments: StoreKind.allCases) func removedLinkProtectsFromTheDeleteBesideAMissingRow(_ kind: StoreKind)
        throws
    {
        let (context, store) = try context(kind)
        let (recipe, picture, note) = (Recipe("r"), Picture("p"), Note("n"))
        for model in [recipe, picture, note] as [any PersistentModel] { context.insert(model) }
        recipe.pictures = [picture]
        try context.save()
        try deleteElsewhere(note, store)
        note.name = "edit"
        picture.name = "kept"
        recipe.pictures = []
        context.delete(recipe)
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [note.persistentModelID])
        #expect(try all(Picture.self, store).map(\.name) == ["kept"] && all(Recipe.self, store).isEmpty)
    }

    // MARK: Unique values with references

    @Test(arguments: StoreKind.allCases, [0, 1, 2])
    func movedRowTakesTheUniqueValueOfAnother(_ kind: StoreKind, _ way: Int) throws {
        let (context, store) = try context(kind)
        let (from, to, third) = (Shelf("from"), Shelf("to"), Shelf("third"))
        let (moved, other) = (Book("a", from), Book("a", to))
        for model in [from, to, third, moved, other] as [any PersistentModel] { context.insert(model) }
        try context.save()
        moved.shelf = to
        switch way {
        case 0: context.delete(other)
        case 1: other.name = "b"
        default: other.shelf = third
        }
        context.delete(from)
        try context.save()
        let books = try all(Book.self, store).map { "\($0.name) \($0.shelf?.name ?? "-")" }.sorted()
        #expect(books == [["a to"], ["a to", "b to"], ["a third", "a to"]][way])
        // The history has one update of the book, from its former shelf to the new one.
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        let updates = last.changes.compactMap { if case .update(let update) = $0 { update } else { nil } }
        let update = try #require(updates.first { $0.changedPersistentIdentifier == moved.persistentModelID })
        #expect(update.updatedAttributeNames == ["shelf"])
        let value = update.preservedValues.first
        #expect(value?.previousValue as? PersistentIdentifier == from.persistentModelID)
        #expect(value?.value as? PersistentIdentifier == to.persistentModelID)
    }

    // MARK: Lists

    @Test(arguments: StoreKind.allCases) func replacedElementCanBeAppendedAgain(_ kind: StoreKind) throws {
        let (context, store) = try context(kind)
        let shelf = Shelf("s")
        context.insert(shelf)
        let books = ["a", "b", "c", "x"].map { Book($0, nil) }
        shelf.books = Array(books.prefix(3))
        context.insert(books[3])
        try context.save()
        shelf.books.requeue(1, with: books[3])
        #expect(shelf.books.map(\.name) == ["a", "x", "c", "b"] && books[1].shelf === shelf)
        try context.save()
        #expect(try all(Shelf.self, store)[0].books.map(\.name).sorted() == ["a", "b", "c", "x"])
    }

    // MARK: Rejected assignments

    @Test(arguments: StoreKind.allCases) func deletingTheModelResolvesARejectedAssignment(_ kind: StoreKind) throws {
        let (context, store) = try context(kind)
        let foreign = Shelf("foreign")
        let other = store.context()
        other.insert(foreign)
        try other.save()
        let (new, saved) = (Book("new", nil), Book("saved", nil))
        context.insert(saved)
        try context.save()
        context.insert(new)
        (new.shelf, saved.shelf) = (foreign, foreign)
        let error = #expect(throws: SwiftDataError.contextMismatch) { try context.save() }
        #expect(error?.localizedDescription.contains("belongs to another context") == true)
        #expect(error?.localizedDescription == error?.description)
        context.delete(new)
        #expect(throws: SwiftDataError.contextMismatch) { try context.save() }
        context.delete(saved)
        // The delete can be undone, and the assignment was rejected.
        context.insert(saved)
        #expect(throws: SwiftDataError.contextMismatch) { try context.save() }
        context.delete(saved)
        try context.save()
        context.insert(Note("later"))
        try context.save()
        #expect(try all(Book.self, store).isEmpty && all(Note.self, store).count == 1)
    }

    // MARK: Rows that others deleted

    @Test(arguments: StoreKind.allCases) func addedLinksOfAMissingModelAreDropped(_ kind: StoreKind) throws {
        let (context, store) = try context(kind)
        let (recipe, stamp) = (Recipe("r"), Stamp("s"))
        for model in [recipe, stamp] as [any PersistentModel] { context.insert(model) }
        try context.save()
        try deleteElsewhere(recipe, store)
        recipe.name = "edit"
        recipe.stamps.append(stamp)
        try context.refreshAllModels()
        try context.save()
        let dropped = try #require(context.lastSaveResult.droppedChanges.first)
        #expect(dropped.updatedAttributeNames == ["name", "stamps"] && !context.hasChanges)
        #expect(stamp.recipes.isEmpty)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func numbersOfDestinationsAreNotRequiredOfDroppedModels(_ kind: StoreKind, _ isMerged: Bool) throws {
        let (context, store) = try context(kind)
        let album = Album("c")
        context.insert(album)
        album.pictures = [Picture("a"), Picture("b")]
        try context.save()
        try deleteElsewhere(album, store)
        album.name = "edit"
        album.pictures = []
        if isMerged { try context.refreshAllModels() }
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [album.persistentModelID])
        try context.save()
    }

    @Test func everyOwnerIsCounted() throws {
        let (context, store) = try context(.inMemory)
        let (inbox, count) = (Crate("inbox"), 1_500)
        context.insert(inbox)
        inbox.labels = [CrateLabel("first")]
        for number in 0..<count {
            let crate = Crate("\(number)")
            context.insert(crate)
            crate.labels = (0..<(number == count - 1 ? 1 : 2)).map { CrateLabel("\(number) \($0)") }
        }
        try context.save()
        let editor = store.context()
        let target = try #require(
            try editor.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.name == "inbox" })).first)
        for label in try editor.fetch(FetchDescriptor<CrateLabel>(predicate: #Predicate { $0.text.contains(" 0") })) {
            label.crate = target
        }
        let error = #expect(throws: SwiftDataError.self) { try editor.save() }
        #expect(error == .modelValidationFailure && error?.propertyName == "labels")
    }

    // MARK: Classes that the container lacks

    @Test(arguments: StoreKind.allCases) func insertOfAGraphWithAnUnknownClassInsertsNothing(_ kind: StoreKind) throws {
        let store = try TestStore(
            kind, [Vehicle.self, Car.self, VehicleOwner.self, VehiclePart.self, VehicleLabel.self])
        let context = store.context()
        let part = VehiclePart("wheel", of: Truck("unknown"))
        context.insert(part)
        #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
        #expect(part.modelContext == nil && part.vehicle?.name == "unknown" && !context.hasChanges)
    }

    // MARK: Released contexts

    @Test(arguments: StoreKind.allCases) func aReleasedContextKeepsWhatRulesDid(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.models)
        var context: ModelContext? = store.context()
        let (shelf, inbox, book, page) = (Shelf("s"), Shelf("inbox"), Book("b", nil), Page("p"))
        for model in [shelf, inbox, book, page] as [any PersistentModel] { context?.insert(model) }
        book.shelf = shelf
        page.book = book
        try context?.save()
        context?.delete(shelf)
        #expect(book.isDeleted && page.isDeleted)
        context = nil
        // Creates a context that is released without changes.
        #expect(book.modelContext != nil)
        book.shelf = inbox
        #expect(!book.isDeleted && !page.isDeleted)
        try #require(book.modelContext).save()
        #expect(try all(Page.self, store).count == 1 && all(Shelf.self, store).map(\.name) == ["inbox"])
        withExtendedLifetime((shelf, page)) {}
    }

    // MARK: Enumerations

    @Test(arguments: StoreKind.allCases) func enumerationSkipsRowsThatOthersDeleted(_ kind: StoreKind) throws {
        let (context, store) = try context(kind)
        let notes = (0..<6).map { Note("\($0)") }
        for note in notes { context.insert(note) }
        try context.save()
        var names: [String] = []
        try context.enumerate(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.name)]), batchSize: 2) { note in
            names.append(note.name)
            if note.name == "1" { try deleteElsewhere(notes[3], store) }
        }
        #expect(names == ["0", "1", "2", "4", "5"])
    }

    /// The save replaces the identifiers of the models of later batches.
    @Test(arguments: StoreKind.allCases) func enumerationIncludesNewModelsThatItSaves(_ kind: StoreKind) throws {
        let (context, _) = try context(kind)
        for number in 0..<6 { context.insert(Note("\(number)")) }
        var names: [String] = []
        let notes = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.name)])
        try context.enumerate(notes, batchSize: 2, allowEscapingMutations: true) { note in
            names.append(note.name)
            if note.name == "2" { context.delete(try #require(context.fetch(notes).last)) }
            try context.save()
        }
        #expect(names == ["0", "1", "2", "3", "4"])
    }
}

extension Array {
    fileprivate mutating func requeue(_ index: Int, with element: Element) {
        append(self[index])
        self[index] = element
    }
}

@Model private final class Recipe {
    var name: String
    @Relationship(deleteRule: .cascade) var pictures: [Picture] = []
    @Relationship(deleteRule: .cascade, inverse: \Stamp.recipes) var stamps: [Stamp] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Picture {
    var name: String
    init(_ name: String) { self.name = name }
}

@Model private final class Stamp {
    var name: String
    var recipes: [Recipe] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Note {
    var name: String
    init(_ name: String) { self.name = name }
}

@Model private final class Shelf {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Book {
    #Unique<Book>([\.shelf, \.name])
    var name: String
    var shelf: Shelf?
    @Relationship(deleteRule: .cascade, inverse: \Page.book) var pages: [Page] = []

    init(_ name: String, _ shelf: Shelf?) {
        self.name = name
        self.shelf = shelf
    }
}

@Model private final class Page {
    var name: String
    var book: Book?
    init(_ name: String) { self.name = name }
}

@Model private final class Album {
    var name: String
    @Relationship(minimumModelCount: 1) var pictures: [Picture] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Crate {
    var name: String
    @Relationship(minimumModelCount: 1, inverse: \CrateLabel.crate) var labels: [CrateLabel] = []
    init(_ name: String) { self.name = name }
}

@Model private final class CrateLabel {
    var text: String
    var crate: Crate?
    init(_ text: String) { self.text = text }
}
