import Chronicle
import Foundation

/// A trip to somewhere, with what to do there and where to stay.
public final class Trip: PersistentModel {
    @Attribute(.preserveValueOnDeletion) public var name: String
    @Attribute public var destination: String
    @Attribute(.preserveValueOnDeletion) public var startDate: Date
    @Attribute(.preserveValueOnDeletion) public var endDate: Date
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) public var bucketList: [BucketListItem]
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    public var livingAccommodation: LivingAccommodation?

    public static let properties: PropertyMap<Trip> = [
        "name": \.name, "destination": \.destination, "startDate": \.startDate, "endDate": \.endDate,
        "bucketList": \.bucketList, "livingAccommodation": \.livingAccommodation,
    ]
    public static let uniqueness: Uniqueness<Trip> = [[\.name, \.startDate, \.endDate]]
    public let persistentBackingData: BackingData
    public init(backingData: BackingData) { persistentBackingData = backingData }

    public init(name: String, destination: String, startDate: Date, endDate: Date) {
        persistentBackingData = BackingData()
        self.name = name
        self.destination = destination
        self.startDate = startDate
        self.endDate = endDate
    }
}
