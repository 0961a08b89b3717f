import Chronicle

extension StoreRule {
    /// Rules about failed saves, which change nothing.
    public static var atomicity: [StoreRule] { [uniqueness, missingValues, updatesOfDeletedRows] }

    static var uniqueness: StoreRule {
        StoreRule("a save that violates a uniqueness constraint writes nothing", needs: .uniqueness) { harness in
            let context = harness.context()
            context.mergePolicy = .error
            context.insert(Stamp("A"))
            try context.save()
            context.insert(Book("new"))
            context.insert(Stamp("B"))
            let second = Stamp("A")
            context.insert(second)
            try expect(.uniquenessViolation, of: "a save of a second model with a unique value") { try context.save() }
            try expect(stamps(harness), is: ["A"], "the stamps after a failed save")
            try expect(harness.context().books().count, is: 0, "the number of books after a failed save")
            // The context still has its changes.
            second.code = "C"
            try context.save()
            try expect(stamps(harness), is: ["A", "B", "C"], "the stamps after the corrected save")
            try expect(harness.context().books().count, is: 1, "the number of books after the corrected save")
        }
    }

    static var missingValues: StoreRule {
        StoreRule("several models may have nil for a unique attribute", needs: .uniqueness) { harness in
            let context = harness.context()
            for code in ["A", "B"] { context.insert(Stamp(code)) }
            do { try context.save() } catch SwiftDataError.uniquenessViolation {
                throw ConformanceFailure("two stamps without a note to be saved, found a uniqueness violation")
            }
            try expect(stamps(harness), is: ["A", "B"], "the stamps without a note")
            for stamp in try context.fetch(FetchDescriptor<Stamp>()) { stamp.note = "rare" }
            try expect(.uniquenessViolation, of: "a save of two stamps with the same note") { try context.save() }
        }
    }

    static var updatesOfDeletedRows: StoreRule {
        StoreRule("a save that updates a deleted row writes nothing", needs: [.updates, .deletes]) { harness in
            let context = harness.context()
            let books = try context.add("a", "b")
            let other = harness.context()
            other.delete(try other.book("b"))
            try other.save()
            context.insert(Book("c"))
            for book in books { book.pages = 99 }
            context.mergePolicy = .error
            try expect(.modelNotFound, of: "a save of a row that another context deleted") { try context.save() }
            let left = try harness.context().books()
            try expect(left.map(\.title), is: ["a"], "the books after a failed save")
            try expect(left.map(\.pages), is: [1], "the pages after a failed save")
        }
    }

    private static func stamps(_ harness: StoreHarness<Store>) throws -> [String] {
        try harness.context().fetch(FetchDescriptor<Stamp>()).map(\.code).sorted()
    }
}
