import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Takes back what an import changed, as a transaction with another author.
func takeBackPrices(in container: ModelContainer) throws {
    let context = ModelContext(container)
    context.author = "repair"
    let transactions = try context.fetchHistory(.after(context.token(tagged: "before-rates")))
    for transaction in transactions.reversed() where transaction.author == "rates" {
        try context.revert(transaction)
        try context.save()
    }
}

/// The articles about a wrong price and about SQL: their commands print what they say, and the program takes the prices back.
@Suite struct WrongPriceListings {
    // The classes that the tool prints.
    @Model final class PackingItem {
        var title: String
        var isPacked: Bool = false
        var trip: Trip?

        init(title: String) {
            self.title = title
        }
    }

    @Model final class Trip {
        var name: String
        var destination: String
        var price: Int
        var note: String?
        @Relationship(deleteRule: .cascade, inverse: \PackingItem.trip) var items: [PackingItem] = []

        init(name: String, destination: String, price: Int) {
            self.name = name
            self.destination = destination
            self.price = price
        }
    }

    /// The import can be several transactions, which change the same prices or others.
    @Test(arguments: [true, false]) func severalTransactionsAreTakenBack(_ isOverlapping: Bool) throws {
        let url = try TemporaryDirectory().file("Trips.store")
        let container = try ModelContainer(
            for: Trip.self, PackingItem.self,
            configurations: ModelConfiguration(url: url, durability: .relaxed, preservesValues: true))
        let context = ModelContext(container)
        let trips = [("a", 100), ("b", 200)].map { Trip(name: $0, destination: "", price: $1) }
        for trip in trips { context.insert(trip) }
        try context.save()
        try context.tag("before-rates")
        for round in 0..<2 {
            context.author = "rates"
            trips[isOverlapping ? 0 : round].price /= 10
            try context.save()
            context.author = "app"
            trips[round].note = "kept"
            try context.save()
        }
        try takeBackPrices(in: container)
        let found = try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.map(\.price) == [100, 200] && found.map(\.note) == ["kept", "kept"])
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Runs a command as in the article, in a directory with the store.
    private static func output(of command: String, in directory: URL) throws -> String {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let (_, output, errors) = try Shell.run(
            "/bin/sh",
            ["-c", "cd \"$0\" && export TZ=UTC PATH=\"$1:$PATH\" && \(command)", directory.path, products.path])
        #expect(errors.isEmpty, "\(command)")
        return output
    }

    @Test(arguments: [("WhoChangedThisPrice", 11), ("QueryingWithSQL", 11)])
    func commandsPrintWhatTheArticleSays(_ name: String, _ count: Int) throws {
        let article = try String(
            contentsOf: Self.root.appending(path: "Sources/Chronicle/Chronicle.docc/\(name).md"), encoding: .utf8)
        let directory = try TemporaryDirectory()
        let store = directory.file("Trips.store")
        try FileManager.default.copyItem(at: Self.root.appending(path: "Documentation/Timeline/Trips.store"), to: store)
        /// Without the check value, date and process of a new transaction, which differ in each run.
        func stable(_ text: String) -> String {
            text.replacing(/-[0-9a-f]{16}/, with: "").replacing(/\n(Date|Program): [^\n]*/, with: "")
        }
        var commands = 0
        for part in article.components(separatedBy: "```").dropFirst() {
            if part.hasPrefix("swift\n") {
                let container = try ModelContainer(
                    for: Trip.self, PackingItem.self, configurations: ModelConfiguration(url: store))
                try takeBackPrices(in: container)
                continue
            }
            guard part.hasPrefix("console\n$ ") else { continue }
            let lines = part.dropFirst("console\n$ ".count)
            let command = String(try #require(lines.split(separator: "\n").first))
            let expected = stable(String(lines.dropFirst(command.count + 1)))
            let output = stable(try Self.output(of: command, in: directory.url))
            #expect(output == expected, "\(command)")
            commands += 1
        }
        #expect(commands == count)
    }
}
