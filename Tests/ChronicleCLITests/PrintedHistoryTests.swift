import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `print(transaction)` in a program shows what `chronicle log` shows.
@Suite struct PrintedHistoryTests {
    @Test func transactionsArePrintedAsInTheLog() async throws {
        let file = try GoldenStore.copy()
        let container = try ModelContainer(
            for: Schema(GoldenStore.types), configurations: [ModelConfiguration(url: file, allowsSave: false)])
        let transactions = try ModelContext(container).fetchHistory()
        try #require(transactions.count > 5)
        let log = try await CommandRun(["log", "--reverse", file.path]) { $0.timeZone = .current }
        #expect(log.errors.isEmpty)
        // The tool shows the stored form of an array, and other escape sequences.
        let expected = log.output.trimmingCharacters(in: .newlines).replacing("tags: \"[]\"", with: "tags: []")
            .replacing("\\u{1b}", with: "\\u{1B}")
        #expect(transactions.map(\.description).joined(separator: "\n\n") == expected)
    }

    /// A single change is printed without a header, also as a value of a type such as `DefaultHistoryUpdate`.
    @Test func changesArePrintedAlone() throws {
        let store = try TestStore(.inMemory, preservesValues: true)
        let context = store.context(author: "app")
        let trip = try #require(try store.add("a\u{1b}[1m\n", in: context).first)
        trip.name = "b"
        try context.save()
        context.delete(trip)
        try context.save()
        let changes = try context.fetchHistory().flatMap(\.changes)
        let lines = changes.map { $0.description.split(separator: "\n").map(String.init) }
        #expect(lines.map(\.first) == ["insert Trip/1", "update Trip/1", "delete Trip/1"])
        #expect(lines[0].contains("    name: \"a\\u{1B}[1m\\n\""), "\(lines[0])")
        #expect(lines[1].dropFirst() == ["    name: \"a\\u{1B}[1m\\n\" -> \"b\""])
        #expect(lines[2].contains("    name: \"b\""))
        for change in changes {
            let text =
                switch change {
                case .insert(let insert): "\(insert)"
                case .update(let update): "\(update)"
                case .delete(let delete): "\(delete)"
                }
            #expect(text == change.description)
        }
    }

    /// A file can contain any timestamp.
    @Test(arguments: [1e300, -1e300, .infinity, .nan, 0, -1.5] as [Double])
    func anyTimestampIsPrinted(_ timestamp: Double) {
        let transaction = DefaultHistoryTransaction(
            transactionIdentifier: 1, storeIdentifier: "s",
            token: DefaultHistoryToken(storeIdentifier: "s", position: 1, checkValue: -1),
            timestamp: Date(timeIntervalSinceReferenceDate: timestamp), author: nil, contextName: nil,
            bundleIdentifier: "p", processIdentifier: "1", changes: [])
        #expect(transaction.description.hasPrefix("transaction 1-ffffffffffffffff\nDate:    "))
        #expect(transaction.description.hasSuffix("\nProgram: p (1)"))
    }
}
