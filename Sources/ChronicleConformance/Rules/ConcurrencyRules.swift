import Chronicle
import Synchronization

extension StoreRule {
    /// Rules about saves on several threads, in several stores at the same location, and in several processes. No save may
    /// be lost or partially visible, and each may write only the changed attributes.
    public static var concurrency: [StoreRule] {
        [differentAttributes, concurrentSaves, isolatedReads, sharedSaves, processSaves]
    }

    static var differentAttributes: StoreRule {
        StoreRule("a save writes only the changed attributes", needs: [.updates, .partialUpdates]) { harness in
            try harness.context().add("a")
            let (one, other) = (harness.context(), harness.context())
            try one.book("a").pages = 7
            // The model is retained because a context releases unchanged models that nothing else retains.
            let book = try other.book("a")
            try one.save()
            book.rating = 3
            try other.save()
            let saved = try harness.context().book("a")
            try expect(saved.pages, is: 7, "the pages saved by one context")
            try expect(saved.rating, is: 3, "the rating saved by another context")
        }
    }

    static var concurrentSaves: StoreRule {
        StoreRule("concurrent saves are all stored") { harness in
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

    static var isolatedReads: StoreRule {
        StoreRule("a reader sees a save completely or not at all") { harness in
            let container = harness.container
            let isWritten = Atomic(false)
            try Parallel.run(2) { thread in
                let context = ModelContext(container)
                guard thread == 0 else {
                    repeat {
                        let count = try context.retrying { try $0.fetchCount(FetchDescriptor<Book>()) }
                        try expect(
                            count.isMultiple(of: 4), "a multiple of 4 books from saves of 4 books, found \(count) books"
                        )
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
    /// A store that throws `SwiftDataError.storeBusy` has changed nothing; `body` is repeated up to a hundred times.
    @discardableResult
    func retrying<Result>(_ body: (ModelContext) throws -> Result) throws -> Result {
        for _ in 0..<100 {
            do { return try body(self) } catch SwiftDataError.storeBusy { rollback() }
        }
        return try body(self)
    }
}
