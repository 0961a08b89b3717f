import Chronicle
import Synchronization

extension StoreRule {
    /// Several contexts at once, on threads, in several stores on one place and in several processes: every save arrives,
    /// whole, and writes what changed and no more.
    public static var concurrency: [StoreRule] {
        [differentAttributes, savesSideBySide, wholeSaves, sharedSaves, processSaves]
    }

    static var differentAttributes: StoreRule {
        StoreRule("a save writes what changed and no more", needs: [.updates, .partialUpdates]) { harness in
            try harness.context().add("a")
            let (one, other) = (harness.context(), harness.context())
            try one.book("a").pages = 7
            // Held: a context forgets what nobody holds and nobody changed.
            let theirs = try other.book("a")
            try one.save()
            theirs.rating = 3
            try other.save()
            let book = try harness.context().book("a")
            try expect(book.pages, is: 7, "the pages that one context saved")
            try expect(book.rating, is: 3, "the rating that another context saved")
        }
    }

    static var savesSideBySide: StoreRule {
        StoreRule("saves side by side all arrive") { harness in
            let container = harness.container
            try Parallel.run(4) { writer in
                let context = ModelContext(container)
                for index in 0..<10 { try context.retrying { try $0.add("\(writer)-\(index)") } }
            }
            let books = try harness.context().books()
            try expect(books.count, is: 40, "the number of books")
            try expect(Set(books.map(\.title)).count, is: 40, "the number of different books")
        }
    }

    static var wholeSaves: StoreRule {
        StoreRule("a reader sees all of a save or nothing") { harness in
            let container = harness.container
            let isWritten = Atomic(false)
            try Parallel.run(2) { thread in
                let context = ModelContext(container)
                guard thread == 0 else {
                    repeat {
                        let count = try context.retrying { try $0.fetchCount(FetchDescriptor<Book>()) }
                        try expect(count.isMultiple(of: 4), "whole saves of 4 books, found \(count) books")
                    } while !isWritten.load(ordering: .acquiring)
                    return
                }
                defer { isWritten.store(true, ordering: .releasing) }
                for index in 0..<25 {
                    try context.retrying { try $0.add("\(index)a", "\(index)b", "\(index)c", "\(index)d") }
                }
            }
        }
    }
}

extension ModelContext {
    /// A store may say that it is busy, and has then done nothing: the work is done again, a hundred times at most.
    @discardableResult
    func retrying<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
        for _ in 0..<100 {
            do { return try body(self) } catch SwiftDataError.storeBusy { rollback() }
        }
        return try body(self)
    }
}
