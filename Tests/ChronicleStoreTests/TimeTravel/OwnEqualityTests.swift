import Chronicle
import ChronicleTestSupport
import Testing

/// Values whose type has a `==` that does not see every change.
@Suite struct OwnEqualityTests {
    @Model final class Receipt {
        var title: String
        var lines: [Line]
        var tags: Set<String> = []

        init(title: String, lines: [Line]) { (self.title, self.lines) = (title, lines) }
    }

    struct Line: Codable, Equatable, Sendable {
        var id: Int
        var text: String

        static func == (left: Line, right: Line) -> Bool { left.id == right.id }
    }

    private func receipt(_ kind: StoreKind) throws -> (TestStore, ModelContext, Receipt) {
        let store = try TestStore(kind, [Receipt.self], preservesValues: true)
        let context = store.context(author: "editor")
        let receipt = Receipt(title: "one", lines: [Line(id: 1, text: "a")])
        receipt.tags = ["x", "y", "z"]
        context.insert(receipt)
        try context.save()
        return (store, context, receipt)
    }

    @Test(arguments: StoreKind.allCases) func undoTakesBackTheLastTransaction(_ kind: StoreKind) throws {
        let (_, context, receipt) = try receipt(kind)
        receipt.title = "two"
        try context.save()
        let token = try context.currentHistoryToken()
        receipt.lines = [Line(id: 1, text: "b")]
        try context.save()
        #expect(try context.changes(since: token).count == 1)
        try context.undoHistory.undo()
        #expect(receipt.title == "two" && receipt.lines.map(\.text) == ["a"])
    }

    @Test(arguments: StoreKind.allCases) func aLaterEditIsAConflict(_ kind: StoreKind) throws {
        let (store, context, receipt) = try receipt(kind)
        receipt.lines.append(Line(id: 2, text: "x"))
        try context.save()
        let transaction = try #require(try context.fetchHistory().last)
        let other = store.context(author: "other")
        let edited = try #require(try other.fetch(FetchDescriptor<Receipt>()).first)
        edited.lines[0].text = "A"
        try other.save()
        #expect(throws: SwiftDataError.revertConflict) { try context.revert(transaction) }
        #expect(try store.context().fetch(FetchDescriptor<Receipt>()).first?.lines.map(\.text) == ["A", "x"])
    }

    /// The order of a set, and that of the keys in JSON of another program, are no changes.
    @Test(arguments: StoreKind.allCases) func otherEncodingsOfAValueAreNoConflict(_ kind: StoreKind) throws {
        let (store, context, receipt) = try receipt(kind)
        receipt.lines = [Line(id: 1, text: "b")]
        receipt.tags = ["x", "y"]
        try context.save()
        let transaction = try #require(try context.fetchHistory().last)
        try store.foreign(#"UPDATE Receipt SET lines = '[ {"text": "b", "id": 1} ]', tags = '["y", "x"]'"#)
        try context.revert(transaction)
        try context.save()
        let reverted = try #require(try store.context().fetch(FetchDescriptor<Receipt>()).first)
        #expect(reverted.lines.map(\.text) == ["a"] && reverted.tags == ["x", "y", "z"])
    }
}
