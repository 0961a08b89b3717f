import Chronicle
import ChronicleTestSupport
import Foundation

/// A file whose content does not depend on the time, the process, or random numbers.
enum GoldenStore {
    static let types: [any PersistentModel.Type] = [
        Trip.self, BucketListItem.self, LivingAccommodation.self, LinkItem.self, LinkTag.self, LinkPhoto.self,
    ]

    /// The file, which tests copy.
    private static let file: Result<(TestStore, URL), any Error> = Result {
        let test = try TestStore(.file, types, preservesValues: true)
        try fill(test)
        try test.shell(normalization)
        let copy = test.directory.file("copy.store")
        _ = try Shell.sqlite3(test.url, "VACUUM INTO '\(copy.path)'")
        return (test, copy)
    }

    /// Returns a copy of the file.
    static func copy() throws -> URL {
        let copy = try TemporaryDirectory().file("Trips.store")
        try FileManager.default.copyItem(at: file.get().1, to: copy)
        return copy
    }

    private static func fill(_ test: TestStore) throws {
        let context = test.context(author: "app")
        context.name = "main"
        context.transactionMetadata = ["reason": "setup"]
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let trip = Trip(name: "Honeymoon", destination: "Rome", startDate: start, endDate: start + 604_800)
        let item = BucketListItem(title: "Colosseum")
        item.trip = trip
        context.insert(trip)
        context.insert(item)
        try context.save()
        try context.tag("planned")
        context.author = "widget"
        context.transactionMetadata = [:]
        trip.note = "Bring an \u{1b}[31mumbrella\u{1b}[0m\n\"two\" <b>nights</b>"
        try context.save()
        context.author = "app"
        let tags = [LinkTag("red", weight: 1), LinkTag("blue", weight: 2)]
        let bag = LinkItem("bag", tags: tags)
        context.insert(bag)
        try context.save()
        let consumer = try test.container.historyConsumer(named: "search", startingNewAt: .beginning)
        if let batch = try consumer.nextBatch(limit: 1) { try consumer.acknowledge(batch) }
        consumer.release()
        bag.tags = [tags[1]]
        bag.number = 7
        try context.save()
        try test.shell("UPDATE Trip SET destination = 'Oslo'")
        context.author = nil
        item.isDone = true
        try context.save()
        context.author = "app"
        context.delete(tags[0])
        try context.save()
        try test.shell("INSERT INTO LinkTag(name, weight) VALUES ('green', 3)")
    }

    /// Sets what differs between runs: check values, timestamps, processes, and the identifier of the store.
    private static let normalization = """
        UPDATE chronicle_change SET attributes = id * 1000000007, primary_key = 788918400 + 60 * id,
            new_value = iif(new_value IS NULL, NULL, 4242) WHERE kind < 0;
        UPDATE chronicle_source SET program = 'Trips' WHERE id > 1;
        UPDATE chronicle_meta SET value = '00000000-0000-0000-0000-000000000001' WHERE name = 'store';
        UPDATE chronicle_tag SET check_value = position * 1000000007, created = 788918400;
        UPDATE chronicle_consumer SET check_value = position * 1000000007, fence = 1, acknowledged = 788918400,
            seen = 788918460;
        """
}
