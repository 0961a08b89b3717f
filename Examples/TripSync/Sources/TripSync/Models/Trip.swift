import Chronicle
import Foundation

/// A trip, with a bucket list.
@Model
public final class Trip {
    #Unique<Trip>([\.uuid])

    /// The identity of the trip in all stores.
    public var uuid: UUID
    public var name: String = ""
    public var destination: String = ""
    public var startDate: Date?
    public var notes: String?
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) public var bucketList: [BucketListItem] = []

    public init(uuid: UUID) { self.uuid = uuid }

    public convenience init(name: String, destination: String, startDate: Date? = nil) {
        self.init(uuid: UUID())
        self.name = name
        self.destination = destination
        self.startDate = startDate
    }
}

extension Trip: SyncedModel {
    public static let syncedProperties: [SyncedProperty<Trip>] = [
        .attribute("name", \.name),
        .attribute("destination", \.destination),
        // If two devices move a trip, the earlier day counts.
        .attribute("startDate", \.startDate, rule: .smallest),
        .attribute("notes", \.notes),
    ]

    public static func descriptor(for uuids: [UUID]) -> FetchDescriptor<Trip> {
        FetchDescriptor(predicate: #Predicate { uuids.contains($0.uuid) })
    }

    public func detachDependents(except deleted: Set<UUID>) {
        for item in bucketList where !deleted.contains(item.uuid) { item.trip = nil }
    }
}
