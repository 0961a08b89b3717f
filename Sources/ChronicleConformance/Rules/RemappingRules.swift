import Chronicle

extension StoreRule {
    /// Rules about the permanent identifiers of new models.
    public static var remapping: [StoreRule] { [permanentIdentifiers, references, identifiersAreNotReused] }

    static var permanentIdentifiers: StoreRule {
        StoreRule("new models get unique permanent identifiers") { harness in
            let context = harness.context()
            let models = (0..<20).map { $0.isMultiple(of: 3) ? Shelf("\($0)") as any PersistentModel : Book("\($0)") }
            for model in models { context.insert(model) }
            try context.save()
            let identifiers = models.map { $0.persistentModelID }
            try expect(Set(identifiers).count, is: models.count, "the number of identifiers")
            let store = try harness.store.identifier
            for (model, identifier) in zip(models, identifiers) {
                try expect(identifier.storeIdentifier, is: store, "the store of \(identifier)")
                try expect(identifier.entityName, is: type(of: model).entityName, "the entity of \(identifier)")
                let found = try harness.context().existingModel(for: identifier)
                try expect(name(of: found), is: name(of: model), "the model of \(identifier)")
            }
        }
    }

    static var references: StoreRule {
        StoreRule("references among new models are stored") { harness in
            let context = harness.context()
            let books = (0..<6).map { Book("\($0)") }
            // The shelf that the books reference is inserted last.
            let shelf = Shelf("all")
            for book in books {
                context.insert(book)
                book.shelf = shelf
                book.card = Card(books.count - book.title.count, of: book)
            }
            try context.save()
            for book in try harness.context().books() {
                try expect(book.shelf?.name, is: "all", "the shelf of book \(book.title)")
                try expect(book.card?.book?.title, is: book.title, "the book of the card of book \(book.title)")
            }
        }
    }

    static var identifiersAreNotReused: StoreRule {
        StoreRule("identifiers of deleted models are not reused", needs: .deletes) { harness in
            let context = harness.context()
            var seen = Set<PersistentIdentifier>()
            for title in ["a", "b", "c"] {
                let book = try context.add(title)[0]
                try expect(
                    seen.insert(book.persistentModelID).inserted,
                    "a new identifier for a new model, found \(book.persistentModelID) of a deleted one")
                context.delete(book)
                try context.save()
            }
        }
    }

    private static func name(of model: any PersistentModel) -> String? {
        (model as? Shelf)?.name ?? (model as? Book)?.title
    }
}
