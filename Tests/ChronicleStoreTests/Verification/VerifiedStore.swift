import Chronicle
import ChronicleTestSupport
import Foundation

/// A file with every kind of row: models with inheritance and links, transactions of several programs, metadata, tags,
/// consumers, and a history of more than one range.
enum VerifiedStore {
    static let types: [any PersistentModel.Type] =
        [LinkItem.self, LinkTag.self, LinkPhoto.self, Trip.self, BucketListItem.self, LivingAccommodation.self]
        + vehicleModels

    /// The file, which tests copy.
    private static let file: Result<(TestStore, URL), any Error> = Result {
        let test = try TestStore(.file, types, preservesValues: true)
        try fill(test)
        // The file without its write-ahead log.
        let copy = test.directory.file("copy.store")
        _ = try Shell.sqlite3(test.url, "VACUUM INTO '\(copy.path)'")
        return (test, copy)
    }

    /// Returns a copy of the file.
    static func copy() throws -> URL {
        let copy = try TemporaryDirectory().file("copy.store")
        try FileManager.default.copyItem(at: file.get().1, to: copy)
        return copy
    }

    private static func fill(_ test: TestStore) throws {
        let context = test.context(author: "app")
        context.transactionMetadata = ["reason": "import"]
        let tags = [LinkTag("red", weight: 1), LinkTag("blue", weight: 2)]
        let items = ["a", "b", "c"].map { LinkItem($0, tags: tags) }
        items[0].friends = [items[1]]
        items[0].photos = [LinkPhoto("p")]
        let trip = Trip(name: "Honeymoon", destination: "Rome", startDate: Date(timeIntervalSinceReferenceDate: 0))
        let item = BucketListItem(title: "Colosseum")
        item.trip = trip
        let car = Car("Beetle")
        car.owner = VehicleOwner("Ada")
        car.parts = [VehiclePart("wheel")]
        for model in items as [any PersistentModel] + [trip, item, car, Taxi("Cab"), Truck("Actros")] {
            context.insert(model)
        }
        try context.save()
        try context.tag("imported")
        context.transactionMetadata = [:]
        trip.note = "Bring an umbrella"
        items[0].tags = [tags[1]]
        try context.save()
        context.author = "widget"
        context.delete(items[2])
        try context.save()
        let consumer = try test.container.historyConsumer(named: "search", startingNewAt: .beginning)
        if let batch = try consumer.nextBatch(limit: 1) { try consumer.acknowledge(batch) }
        consumer.release()
        for number in 0..<600 {
            context.author = "author \(number % 3)"
            items[1].number = number + 1
            try context.save()
        }
        try test.shell("UPDATE Trip SET destination = 'Oslo'; INSERT INTO LinkTag(name, weight) VALUES ('green', 3)")
        items[1].number = -1
        try context.save()
        try test.shell("UPDATE LinkTag SET weight = 4 WHERE name = 'green'")
    }
}
