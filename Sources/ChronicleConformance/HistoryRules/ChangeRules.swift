public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about the changes in a transaction: they have the type of their model, updates name the changed attributes,
    /// deletes contain preserved values and cascaded deletes, and saves without an effect are not recorded.
    public static var changes: [StoreRule] {
        [insertsAreTyped, updatesAreNamed, tombstones, cascades, storeCascades, savesWithoutEffect]
    }

    static var insertsAreTyped: StoreRule {
        StoreRule("an insert has the type of its model") { harness in
            let context = harness.context()
            let book = try context.add("a", on: Shelf("left"))[0]
            let changes = try harness.history().flatMap(\.changes)
            try expect(changes.count, is: 2, "the number of changes")
            for change in changes {
                guard case .insert(let insert) = change else {
                    throw ConformanceFailure("an insert, found \(change.line)")
                }
                let isBook = insert.changedPersistentIdentifier == book.persistentModelID
                try expect(
                    isBook ? insert is any HistoryInsert<Book> : insert is any HistoryInsert<Shelf>,
                    "the insert of \(insert.changedPersistentIdentifier) to have the type of its model")
            }
        }
    }

    static var updatesAreNamed: StoreRule {
        StoreRule("an update names exactly the changed attributes", needs: [.updates, .updateHistory]) { harness in
            let context = harness.context()
            let books = try context.add("a", "b")
            books[1].pages = 7
            books[1].shelf = Shelf("left")
            books[0].title = "a"
            try context.save()
            let changes = try require(harness.history().last, "a transaction for a save").changes
            let updates = changes.compactMap { change -> (any HistoryUpdate<Book>)? in
                if case .update(let update) = change { update as? any HistoryUpdate<Book> } else { nil }
            }
            try expect(updates.count, is: 1, "the number of updated books")
            try expect(updates[0].changedPersistentIdentifier, is: books[1].persistentModelID, "the updated book")
            let names = updates[0].updatedAttributes.map { Book.name(of: $0) }
            try expect(names.sorted(), is: ["pages", "shelf"], "the updated attributes")
        }
    }

    static var tombstones: StoreRule {
        StoreRule(
            "a delete contains exactly the preserved values", needs: [.deletes, .deleteHistory, .tombstones]
        ) { harness in
            let context = harness.context()
            let title = harness.features.contains(.nulCharacters) ? "a\0é" : "aé"
            let books = [Book(title, pages: 3, rating: -0.0, printed: 0.1), Book("b")]
            for book in books { context.insert(book) }
            try context.save()
            for book in books { context.delete(book) }
            try context.save()
            let changes = try require(harness.history().last, "a transaction for a save").changes
            let deletes = changes.compactMap { change -> (any HistoryDelete<Book>)? in
                if case .delete(let delete) = change { delete as? any HistoryDelete<Book> } else { nil }
            }
            try expect(deletes.count, is: 2, "the number of deleted books")
            let first = try require(deletes.first { $0.tombstone[\.title] == title }, "the title of a deleted book")
            try expect(first.tombstone[\.rating]??.bitPattern, is: (-0.0).bitPattern, "the rating of a deleted book")
            try expect(
                first.tombstone[\.printed], is: Date(timeIntervalSinceReferenceDate: 0.1), "the date of a deleted book")
            try expect(Set(first.tombstone.attributeNames), is: ["title", "rating", "printed"], "the preserved values")
            let second = try require(deletes.first { $0.tombstone[\.title] == "b" }, "the title of a deleted book")
            try expect(
                Set(second.tombstone.attributeNames), is: ["title", "printed"], "the preserved values that are not nil")
        }
    }

    static var cascades: StoreRule {
        StoreRule(
            "cascaded deletes are in the transaction of the delete", needs: [.deletes, .deleteHistory]
        ) { harness in
            let books = try harness.context().add("a", "b", on: Shelf("left"))
            let count = try harness.history().count
            let context = harness.context()
            let shelf = try context.shelf("left")
            context.delete(shelf)
            try context.save()
            let transactions = try harness.history().dropFirst(count)
            try expect(transactions.count, is: 1, "the number of transactions of a cascading delete")
            let lines = transactions.flatMap(\.changes).filter { if case .delete = $0 { true } else { false } }
            let expected = books.map(\.persistentModelID) + [shelf.persistentModelID]
            try expect(
                Set(lines.map(\.changedPersistentIdentifier)), is: Set(expected), "the models that were deleted")
        }
    }

    static var storeCascades: StoreRule {
        StoreRule(
            "deletes performed by the store are in the transaction of the delete",
            needs: [.deletes, .deleteHistory, .referentialIntegrity]
        ) { harness in
            try harness.context().add("a", on: Shelf("left"))
            let context = harness.context()
            let shelf = try context.shelf("left")
            try expect(shelf.books.count, is: 1, "the number of books on the shelf")
            let other = harness.context()
            let late = try other.add("late", on: other.shelf("left"))[0].persistentModelID
            context.delete(shelf)
            try context.save()
            let last = try require(harness.history().last, "a transaction for a save")
            let deleted = last.changes.filter { if case .delete = $0 { true } else { false } }
            try expect(
                deleted.contains { $0.changedPersistentIdentifier == late },
                "the delete of a book that the context had not fetched, found \(last.changes.map(\.line))")
        }
    }

    static var savesWithoutEffect: StoreRule {
        StoreRule("saves without an effect are not in the history", needs: [.updates, .deletes]) { harness in
            let context = harness.context()
            let books = try context.add("a", "b")
            let count = try harness.history().count
            try context.save()
            books[0].title = "a"
            try context.save()
            let (other, late) = (harness.context(), harness.context())
            let (ghost, twin) = (try late.book("b"), try late.book("a"))
            other.delete(try other.book("b"))
            try other.save()
            late.delete(ghost)
            try late.save()
            context.insert(Book("c"))
            books[1].pages = 7
            context.mergePolicy = .error
            try expect(.modelNotFound, of: "a save of a row that another context deleted") { try context.save() }
            context.rollback()
            let recorded = try harness.history().dropFirst(count)
            let kinds = recorded.flatMap(\.changes).map { String($0.line.prefix(6)) }.filter { $0 != "delete" }
            try expect(recorded.count <= 1 && kinds.isEmpty, "at most one delete, found \(recorded.count) transactions")
            guard harness.features.contains(.updateHistory) else { return }
            books[0].pages = 3
            try context.save()
            let last = try harness.store.currentHistoryToken()
            twin.pages = 3
            try late.save()
            try expect(
                harness.store.currentHistoryToken(), is: last, "the current token after a save of unchanged values")
        }
    }
}
