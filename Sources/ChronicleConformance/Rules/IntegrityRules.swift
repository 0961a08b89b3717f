import Chronicle
import Foundation

extension StoreRule {
    /// Rules about referential integrity: one context deletes a model, and another one, which fetched it before, adds a
    /// reference to it. Whichever saves first, no reference to a deleted row remains.
    public static var integrity: [StoreRule] {
        [
            cascadeIncludesUnloaded, cascadeReportsChanges, nullifyIncludesUnloaded, denyIncludesUnloaded,
            referencesToDeletedRows,
        ]
    }

    static var cascadeIncludesUnloaded: StoreRule {
        StoreRule(
            "a cascading delete includes models that another context added",
            needs: [.deletes, .referentialIntegrity]
        ) { harness in
            try harness.context().add("a", on: Shelf("left"))
            let context = harness.context()
            let shelf = try context.shelf("left")
            // Loads the list, which becomes outdated when the other context saves.
            try expect(shelf.books.map(\.title), is: ["a"], "the books on the shelf")
            let other = harness.context()
            try other.add("late", on: other.shelf("left"))
            context.delete(shelf)
            try context.save()
            try expect(harness.context().books().map(\.title), is: [], "the books after their shelf was deleted")
        }
    }

    static var cascadeReportsChanges: StoreRule {
        StoreRule(
            "a save reports its changes of a model that its cascading delete includes",
            needs: [.updates, .deletes, .referentialIntegrity]
        ) { harness in
            try harness.context().add("a", on: Shelf("left"))
            let context = harness.context()
            context.delete(try context.shelf("left"))
            let other = harness.context()
            try other.add("late", on: other.shelf("left"))
            let late = try context.book("late")
            late.pages = 9
            // The store throws an error, and the context saves again without the changes.
            try context.save()
            let dropped = context.lastSaveResult.droppedChanges.map(\.persistentIdentifier)
            try expect(dropped, is: [late.persistentModelID], "the models whose changes were not saved")
            try expect(harness.context().books().map(\.title), is: [], "the books after their shelf was deleted")
        }
    }

    static var nullifyIncludesUnloaded: StoreRule {
        StoreRule(
            "a delete nullifies references that another context saved",
            needs: [.updates, .deletes, .referentialIntegrity]
        ) { harness in
            let context = harness.context()
            let book = try context.add("a")[0]
            let topic = Topic("gone")
            context.insert(topic)
            try context.save()
            try expect(book.card == nil, "a new book without a card")
            let other = harness.context()
            other.insert(Card(7, of: try other.book("a")))
            let late = Topic("late")
            other.insert(late)
            late.related = try other.topic("gone")
            try other.save()
            context.delete(book)
            context.delete(topic)
            try context.save()
            try expect(harness.reference("book", of: Card.self), is: .null, "the stored reference of the card")
            try expect(
                harness.reference("related", of: Topic.self), is: .null, "the stored reference without an inverse")
        }
    }

    static var denyIncludesUnloaded: StoreRule {
        StoreRule(
            "a delete is denied if a required reference to the row exists",
            needs: [.deletes, .referentialIntegrity]
        ) { harness in
            let context = harness.context()
            let book = try context.add("a")[0]
            context.insert(Loan("Ada", book))
            try context.save()
            // The same request as from a context that fetched before the loan was saved.
            let store = try harness.store
            let request = DataStoreSaveChangesRequest(
                editingState: harness.editingState(context), inserted: [], updated: [],
                deleted: try harness.rows(of: Book.self))
            try expect(.deleteDenied, of: "a save that deletes a book on loan") { _ = try store.save(request) }
            try expect(harness.context().books().map(\.title), is: ["a"], "the books after a denied delete")
            let loans = try harness.context().fetch(FetchDescriptor<Loan>())
            try expect(loans.map(\.book.title), is: ["a"], "the books on loan")
        }
    }

    static var referencesToDeletedRows: StoreRule {
        StoreRule(
            "a save of a reference to a deleted row writes nothing", needs: [.deletes, .referentialIntegrity]
        ) { harness in
            try harness.context().add("a", on: Shelf("left"))
            let context = harness.context()
            let shelf = try context.shelf("left")
            let other = harness.context()
            other.delete(try other.shelf("left"))
            try other.save()
            context.insert(Stamp("new"))
            context.insert(Book("late", on: shelf))
            try expect(.modelValidationFailure, of: "a save of a book on a shelf that another context deleted") {
                try context.save()
            }
            try expect(harness.context().books().count, is: 0, "the number of books after a failed save")
            let stamps = try harness.context().fetchCount(FetchDescriptor<Stamp>())
            try expect(stamps, is: 0, "the number of stamps after a failed save")
        }
    }
}

extension StoreHarness {
    /// The destination may not exist. The store must contain exactly one model of the type.
    func reference<Model: PersistentModel>(_ name: String, of type: Model.Type) throws -> PropertyValue {
        let slot = try store.schema.entitiesByName[Model.entityName]?.property(named: name)?.slot
        let rows = try rows(of: type)
        try expect(rows.count, is: 1, "the number of rows of \(Model.entityName)")
        let value = try slot.flatMap { try rows.first?.row(in: store.schema)[$0] }
        return try require(value, "the value of \(Model.entityName).\(name)")
    }

    fileprivate func rows<Model: PersistentModel>(of type: Model.Type) throws -> [Store.Snapshot] {
        let request = DataStoreFetchRequest<Model>(descriptor: FetchDescriptor(), editingState: editingState(context()))
        return try store.fetch(request).fetchedSnapshots
    }

    fileprivate func editingState(_ context: ModelContext) -> EditingState {
        EditingState(id: UUID())
    }
}
