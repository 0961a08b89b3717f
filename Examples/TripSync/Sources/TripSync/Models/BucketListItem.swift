import Chronicle
import Foundation

/// Something to do on a trip.
@Model
public final class BucketListItem {
    #Unique<BucketListItem>([\.uuid])

    /// The identity of the item in all stores.
    public var uuid: UUID
    public var title: String = ""
    public var isDone: Bool = false
    public var trip: Trip?

    public init(uuid: UUID) { self.uuid = uuid }

    public convenience init(title: String) {
        self.init(uuid: UUID())
        self.title = title
    }
}

extension BucketListItem: SyncedModel {
    public static let syncedProperties: [SyncedProperty<BucketListItem>] = [
        .attribute("title", \.title),
        // What was done on one device is done.
        .attribute("isDone", \.isDone, rule: .largest),
        .reference("trip", \.trip),
    ]

    public static func descriptor(for uuids: [UUID]) -> FetchDescriptor<BucketListItem> {
        FetchDescriptor(predicate: #Predicate { uuids.contains($0.uuid) })
    }
}
