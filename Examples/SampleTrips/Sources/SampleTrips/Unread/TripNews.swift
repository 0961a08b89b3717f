import Chronicle
import Foundation

/// Why a trip has a mark: its accommodation changed. The accommodation is part of it because a delete says which
/// accommodation is gone, and can no longer say whose it was.
public struct TripMark: Codable, Hashable, Sendable {
    public let trip: PersistentIdentifier
    public let accommodation: PersistentIdentifier
}

/// A trip that is gone, by what its tombstone kept.
public struct DeletedTrip: Hashable, Sendable {
    public let name: String
    public let startDate: Date?
    public let endDate: Date?
}

/// What some transactions did to trips.
public struct TripNews: Equatable, Sendable {
    /// The trips to mark.
    public internal(set) var marks: Set<TripMark> = []
    /// The accommodations and trips whose marks are void.
    public private(set) var gone: Set<PersistentIdentifier> = []
    public private(set) var deletedTrips: [DeletedTrip] = []

    mutating func accommodationWasDeleted(_ identifier: PersistentIdentifier) {
        marks = marks.filter { $0.accommodation != identifier }
        gone.insert(identifier)
    }

    mutating func tripWasDeleted(_ identifier: PersistentIdentifier, _ tombstone: HistoryTombstone<Trip>) {
        marks = marks.filter { $0.trip != identifier }
        gone.insert(identifier)
        deletedTrips.append(
            DeletedTrip(
                name: tombstone[\.name] ?? "A trip", startDate: tombstone[\.startDate], endDate: tombstone[\.endDate]))
    }
}
