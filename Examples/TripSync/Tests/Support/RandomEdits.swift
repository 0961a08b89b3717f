public import Chronicle
import Foundation
import TripSync

/// Random changes of a user.
public enum RandomEdits {
    /// Makes some changes and saves them as one transaction.
    public static func save(_ context: ModelContext, author: String, _ random: inout SeededGenerator) throws {
        context.author = author
        for _ in 0..<Int.random(in: 1...3, using: &random) { try change(context, &random) }
        try context.save()
    }

    private static func change(_ context: ModelContext, _ random: inout SeededGenerator) throws {
        // In an order that does not depend on the store, so that a seed repeats a test.
        let trips = try context.fetch(FetchDescriptor<Trip>()).sorted { $0.uuid < $1.uuid }
        let items = try context.fetch(FetchDescriptor<BucketListItem>()).sorted { $0.uuid < $1.uuid }
        let number = Int.random(in: 0..<100, using: &random)
        switch (Int.random(in: 0..<12, using: &random), trips.randomElement(using: &random)) {
        case (0, let trip?) where trips.count > 4: context.delete(trip)
        case (1, let trip?), (2, let trip?): trip.name = "name \(number)"
        case (3, let trip?): trip.destination = "destination \(number)"
        case (4, let trip?): trip.startDate = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
        case (5, let trip?): trip.notes = number % 3 == 0 ? nil : "notes \(number)"
        case (6, let trip?), (7, let trip?):
            let item = BucketListItem(uuid: UUID(&random))
            item.title = "title \(number)"
            trip.bucketList.append(item)
        case (8, let trip?): items.randomElement(using: &random)?.trip = trip
        case (9, _?): items.randomElement(using: &random)?.isDone.toggle()
        case (10, _?):
            if items.count > 6, let item = items.randomElement(using: &random) { context.delete(item) }
        default:
            let trip = Trip(uuid: UUID(&random))
            trip.name = "name \(number)"
            context.insert(trip)
        }
    }
}

extension UUID {
    init(_ random: inout SeededGenerator) {
        let (high, low) = (random.next(), random.next())
        func byte(_ number: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (index * 8)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
                byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
                byte(low, 6), byte(low, 7)
            ))
    }
}

/// SplitMix64: https://prng.di.unimi.it/splitmix64.c
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(state: UInt64) { self.state = state }

    /// A new seed, or that of the environment variable `TRIP_SYNC_SEED`, to repeat a test. Prints it.
    public static func seed() -> UInt64 {
        let given = ProcessInfo.processInfo.environment["TRIP_SYNC_SEED"].flatMap(UInt64.init)
        let seed = given ?? .random(in: 0...9_999)
        print("TRIP_SYNC_SEED=\(seed)")
        return seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
