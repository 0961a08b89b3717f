import Chronicle
import Foundation

/// The mark of a trip whose accommodation changed. It includes the accommodation, because a delete identifies the
/// deleted accommodation, but no longer its trip.
public struct TripMark: Codable, Hashable, Sendable {
    public let trip: PersistentIdentifier
    public let accommodation: PersistentIdentifier
}

/// A deleted trip, with the values that its tombstone preserved.
public struct DeletedTrip: Hashable, Sendable {
    public let name: String
    public let startDate: Date?
    public let endDate: Date?
}

/// The changes of trips in some transactions.
public struct TripNews: Equatable, Sendable {
    /// The trips to mark.
    public internal(set) var marks: Set<TripMark> = []
    /// The accommodations and trips whose marks are removed.
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
