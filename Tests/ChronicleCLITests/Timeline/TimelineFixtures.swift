import Chronicle
import ChronicleTestSupport
import Foundation

@testable import ChronicleCLI

/// Stores and pages for the tests of the timeline.
enum TimelineFixtures {
    /// A text that would become elements and scripts if a page or script contained it as it is.
    static let hostile = #"</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2">"#

    /// Makes a store with transactions of two authors, of none, and of another program, with links, and with texts that
    /// the page has to escape.
    static func makeStore() throws -> TestStore {
        let store = try TestStore(.file, preservesValues: true)
        let app = store.context(author: "app")
        app.name = "main <b>"
        var trips: [Trip] = []
        for number in 0..<10 {
            let trip = Trip(
                name: "Trip \(number)", destination: number == 3 ? hostile : "Rome",
                startDate: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)))
            trip.note = number == 4 ? "escape \u{1b}[31m, reversed \u{202e}abc, nul \u{0}" : nil
            app.insert(trip)
            trips.append(trip)
            try app.save()
        }
        app.author = hostile
        app.transactionMetadata = ["<i>reason</i>": hostile]
        for trip in trips.prefix(3) { trip.note = String(repeating: "long ", count: 100) }
        try app.save()
        app.author = nil
        app.transactionMetadata = [:]
        let item = BucketListItem(title: "Museum")
        app.insert(item)
        item.trip = trips[0]
        try app.save()
        app.author = "widget"
        item.isDone = true
        item.trip = nil
        try app.save()
        app.delete(trips[9])
        try app.save()
        try store.shell("UPDATE Trip SET note = 'by another program' WHERE name = 'Trip 0'")
        return store
    }

    /// Writes the page of a store, and returns its URL and what it contains.
    static func makePage(
        of store: TestStore, _ name: String = "timeline.html", configure: (inout TimelineWriter) -> Void = { _ in }
    ) throws -> (url: URL, content: TimelineWriter.Content) {
        var writer = TimelineWriter(try StoreFile(.file(store.url), allowsSave: false))
        configure(&writer)
        var page = Data()
        let content = try writer.write { page += $0 }
        let url = store.directory.file(name)
        try page.write(to: url)
        return (url, content)
    }

    /// Writes a page with synthetic transactions of one change each, newest first.
    static func writePage(
        to url: URL, transactionCount: Int, entityName: String = "Trip", attributeName: String = "name",
        author: String = "app"
    ) throws {
        var blocks = JSONColumn()
        let origin = PersistentIdentifier.Origin(storeIdentifier: "store", entityName: entityName)
        let schema = Schema()
        var number = transactionCount
        while number > 0 {
            var block = TimelineBlock(schema)
            for _ in 0..<min(number, 2_000) {
                let position = Int64(number * 2)
                let values = PreservedValue(
                    name: attributeName, previousValue: "Rome \(number)", value: "Oslo \(number)")
                let change = HistoryChange.update(
                    of: origin.identifier(Int64(number % 5_000)), updatedAttributeNames: [attributeName],
                    changeIdentifier: position - 1, transactionIdentifier: position, preservedValues: [values],
                    schema: schema)
                let transaction = DefaultHistoryTransaction(
                    transactionIdentifier: position, storeIdentifier: "store",
                    token: DefaultHistoryToken(storeIdentifier: "store", position: position, checkValue: 1),
                    timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 600), author: author,
                    contextName: nil, bundleIdentifier: "app", processIdentifier: "1", changes: [])
                try block.append(transaction, [change], isComplete: true)
                number -= 1
            }
            blocks.append { $0.append(block.json) }
        }
        let (before, after) = TimelinePage.parts(nonce: TimelinePage.makeNonce())
        var page = Data(before.utf8)
        page += Data(#"{"file":"large.store","live":false,"blocks":"#.utf8) + Data(blocks.array.bytes)
        page += Data(#","position":"0","note":null}"#.utf8) + Data(after.utf8)
        try page.write(to: url)
    }
}
