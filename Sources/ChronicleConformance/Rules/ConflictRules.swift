import Chronicle
import Foundation

extension StoreRule {
    /// Rules about saves that conflict with rows of other writers and that the context resolves.
    public static var conflicts: [StoreRule] { [uniqueInserts, compoundInserts, droppedUpdates] }

    static var uniqueInserts: StoreRule {
        StoreRule("a model with the unique value of a row can be saved as its update", needs: [.uniqueness, .updates]) {
            harness in
            let first = harness.context()
            let stamps = ["A", "B"].map { Stamp($0) }
            for stamp in stamps { first.insert(stamp) }
            try first.save()
            let context = harness.context()
            let (second, new) = (Stamp("B"), Stamp("C"))
            second.note = "rare"
            for stamp in [second, new] { context.insert(stamp) }
            try saveMerging(context)
            try expect(
                second.persistentModelID, is: stamps[1].persistentModelID, "the identifier of the merged stamp")
            let rows = try harness.context().fetch(FetchDescriptor<Stamp>(sortBy: [SortDescriptor(\.code)]))
            try expect(rows.map(\.code), is: ["A", "B", "C"], "the stamps")
            try expect(rows.map(\.note), is: [nil, "rare", nil], "the notes of the stamps")
        }
    }

    static var compoundInserts: StoreRule {
        StoreRule(
            "a model with the unique values of a row can be saved as its update, if one is a reference",
            needs: [.uniqueness, .updates]
        ) { harness in
            let first = harness.context()
            let books = ["a", "b"].map { Book($0) }
            let chapters = books.map { Chapter(1, "old", in: $0) }
            for chapter in chapters { first.insert(chapter) }
            try first.save()
            let context = harness.context()
            let book = try context.book("b")
            let chapter = Chapter(1, "new", in: book)
            context.insert(chapter)
            context.insert(Chapter(2, "other", in: book))
            try saveMerging(context)
            try expect(
                chapter.persistentModelID, is: chapters[1].persistentModelID, "the identifier of the merged chapter")
            let rows = try harness.context().fetch(FetchDescriptor<Chapter>(sortBy: [SortDescriptor(\.title)]))
            try expect(rows.map(\.title), is: ["new", "old", "other"], "the chapters")
            try expect(rows.map { $0.book?.title }, is: ["b", "a", "b"], "the books of the chapters")
        }
    }

    static var droppedUpdates: StoreRule {
        StoreRule(
            "a save can drop the changes of a deleted row and write the rest", needs: [.updates, .deletes]
        ) { harness in
            let context = harness.context()
            let books = try context.add("a", "b")
            let other = harness.context()
            other.delete(try other.book("b"))
            try other.save()
            for book in books { book.pages = 99 }
            context.insert(Book("c"))
            do { try context.save() } catch {
                throw ConformanceFailure("a save without the changes of a deleted row, found \(error)")
            }
            let rows = try harness.context().books()
            try expect(rows.map(\.title).sorted(), is: ["a", "c"], "the books")
            try expect(rows.first { $0.title == "a" }?.pages, is: 99, "the pages of a book that was not deleted")
            let dropped = context.lastSaveResult.droppedChanges
            try expect(dropped.map(\.persistentIdentifier), is: [books[1].persistentModelID], "the dropped changes")
        }
    }

    private static func saveMerging(_ context: ModelContext) throws {
        do { try context.save() } catch SwiftDataError.uniquenessViolation {
            throw ConformanceFailure("a save that updates the row with the same unique values, found an error")
        }
    }
}
