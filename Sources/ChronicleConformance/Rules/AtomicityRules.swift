import Chronicle

extension StoreRule {
    /// A save that fails has done nothing.
    public static var atomicity: [StoreRule] { [uniqueness, missingValues, lostRows] }

    static var uniqueness: StoreRule {
        StoreRule("a save that breaks uniqueness writes nothing", needs: .uniqueness) { harness in
            let context = harness.context()
            context.insert(Stamp("A"))
            try context.save()
            context.insert(Book("new"))
            context.insert(Stamp("B"))
            let second = Stamp("A")
            context.insert(second)
            try expect(.uniquenessViolation, of: "a save of a second model with a unique value") { try context.save() }
            try expect(stamps(harness), is: ["A"], "the stamps after a save that failed")
            try expect(harness.context().books().count, is: 0, "the number of books after a save that failed")
            // The context still has its changes.
            second.code = "C"
            try context.save()
            try expect(stamps(harness), is: ["A", "B", "C"], "the stamps after the save was mended")
            try expect(harness.context().books().count, is: 1, "the number of books after the save was mended")
        }
    }

    static var missingValues: StoreRule {
        StoreRule("any number of models may be without a unique value", needs: .uniqueness) { harness in
            let context = harness.context()
            for code in ["A", "B"] { context.insert(Stamp(code)) }
            do { try context.save() } catch SwiftDataError.uniquenessViolation {
                throw ConformanceFailure("two stamps without a note to be saved: no value is not the same as no value")
            }
            try expect(stamps(harness), is: ["A", "B"], "the stamps without a note")
            for stamp in try context.fetch(FetchDescriptor<Stamp>()) { stamp.note = "rare" }
            try expect(.uniquenessViolation, of: "a save of two stamps with one note") { try context.save() }
        }
    }

    static var lostRows: StoreRule {
        StoreRule("a save that changes a row that is gone writes nothing", needs: [.updates, .deletes]) { harness in
            let context = harness.context()
            let books = try context.add("a", "b")
            let other = harness.context()
            other.delete(try other.book("b"))
            try other.save()
            context.insert(Book("c"))
            for book in books { book.pages = 99 }
            try expect(.modelNotFound, of: "a save of a row that another context deleted") { try context.save() }
            let left = try harness.context().books()
            try expect(left.map(\.title), is: ["a"], "the books after a save that failed")
            try expect(left.map(\.pages), is: [1], "the pages after a save that failed")
        }
    }

    private static func stamps(_ harness: StoreHarness<Store>) throws -> [String] {
        try harness.context().fetch(FetchDescriptor<Stamp>()).map(\.code).sorted()
    }
}
