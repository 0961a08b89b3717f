import Chronicle
import Foundation
import SampleTrips

/// Saves random inserts, updates and deletes.
struct RandomWriter {
    private let fixture: SearchFixture
    private var generator: SeededGenerator
    private var count = 0

    init(_ fixture: SearchFixture, seed: UInt64) {
        self.fixture = fixture
        generator = SeededGenerator(state: seed)
    }

    mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Makes some changes in a new context and saves them, or runs SQL in the `sqlite3` shell.
    mutating func save() throws {
        count += 1
        if number(in: 0...19) == 0 {
            return try fixture.shell("UPDATE Trip SET name = name || ' \(count)' WHERE id % 3 = \(count % 3)")
        }
        let context = ModelContext(fixture.context.container)
        for _ in 0..<number(in: 1...5) { try change(context) }
        try context.save()
    }

    /// Saves so many models that the index is updated for a while.
    mutating func saveMany() throws {
        let context = ModelContext(fixture.context.container)
        for _ in 0..<300 { context.insert(BucketListItem(title: words())) }
        try context.save()
    }

    private mutating func change(_ context: ModelContext) throws {
        let trips = try context.fetch(FetchDescriptor<Trip>())
        let trip = trips.randomElement(using: &generator)
        switch (number(in: 0...5), trip) {
        case (0, let trip?) where trips.count > 3: context.delete(trip)
        case (1, let trip?): trip.name = "\(words()) \(count)"
        case (2, let trip?): trip.bucketList.append(BucketListItem(title: words()))
        case (3, let trip?): trip.livingAccommodation = LivingAccommodation(placeName: words())
        case (4, let trip?): trip.bucketList.randomElement(using: &generator).map(context.delete)
        default:
            context.insert(Trip(name: "\(words()) \(count)", destination: words(), startDate: .now, endDate: .now))
        }
    }

    private mutating func words() -> String {
        let words = ["Harbor", "Museum", "Old", "Town", "Café", "View", "Market", "\"Quoted\"", "Casa", "AND"]
        return (0..<number(in: 1...3)).compactMap { _ in words.randomElement(using: &generator) }
            .joined(separator: " ")
    }
}

/// SplitMix64: https://prng.di.unimi.it/splitmix64.c
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    /// A new seed, or that of the environment variable `TRIP_SEARCH_SEED`, to repeat a test. Prints it.
    static func seed() -> UInt64 {
        let given = ProcessInfo.processInfo.environment["TRIP_SEARCH_SEED"].flatMap(UInt64.init)
        let seed = given ?? .random(in: 0...9_999)
        print("TRIP_SEARCH_SEED=\(seed)")
        return seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
