import Chronicle

extension StoreRule {
    /// Rules about rows with permanent identifiers. They are skipped without the capability `explicitIdentifiers`.
    public static var restoring: [StoreRule] { [restoredModels, takenIdentifiers] }

    /// Inserts snapshots as a context does that restores models.
    private static func insert(_ snapshots: [Store.Snapshot], _ harness: StoreHarness<Store>) throws {
        let result = try harness.store.save(
            DataStoreSaveChangesRequest(
                editingState: harness.context().editingState, inserted: snapshots, updated: [], deleted: []))
        for snapshot in snapshots {
            let identifier = snapshot.persistentIdentifier
            try expect(
                result.remappedIdentifiers[identifier] ?? identifier, is: identifier,
                "the identifier in the result of the save")
        }
    }

    private static func rows(_ harness: StoreHarness<Store>) throws -> [Store.Snapshot] {
        try harness.store.fetch(
            DataStoreFetchRequest<Book>(
                descriptor: FetchDescriptor(), editingState: harness.context().editingState)
        ).fetchedSnapshots
    }

    static var restoredModels: StoreRule {
        StoreRule("a deleted model can be restored with its identifier, which no other model gets", needs: .deletes) {
            harness in
            let context = harness.context()
            let books = try context.add("a", "b", "c")
            let deleted = books[1...].map(\.persistentModelID)
            let snapshots = try rows(harness).filter { deleted.contains($0.persistentIdentifier) }
            try expect(snapshots.count, is: 2, "the number of rows")
            for book in books[1...] { context.delete(book) }
            try context.save()
            try insert(snapshots, harness)
            let reader = harness.context()
            for (title, identifier) in zip(["b", "c"], deleted) {
                try expect(reader.book(title).persistentModelID, is: identifier, "the identifier of \(title)")
            }
            let next = try harness.context().add("d")[0].persistentModelID
            try expect(
                !books.map(\.persistentModelID).contains(next), "a new identifier for a new model, found \(next)")
            try expect(reader.books().count, is: 4, "the number of books")
        }
        .requiring(.explicitIdentifiers, "explicitIdentifiers")
    }

    static var takenIdentifiers: StoreRule {
        StoreRule("a row with the identifier of an existing model is rejected, and nothing is saved", needs: .deletes) {
            harness in
            let context = harness.context()
            let books = try context.add("a", "b")
            let snapshots = try rows(harness)
            context.delete(books[0])
            try context.save()
            try expect(.uniquenessViolation, of: "inserting a row with the identifier of an existing model") {
                try insert(snapshots, harness)
            }
            try expect(harness.context().books().map(\.title), is: ["b"], "the books after the rejected save")
        }
        .requiring(.explicitIdentifiers, "explicitIdentifiers")
    }
}
