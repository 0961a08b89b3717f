import Chronicle
import Foundation

/// A trip, with a bucket list and an accommodation.
@Model
public final class Trip {
    #Unique<Trip>([\.name, \.startDate, \.endDate])

    @Attribute(.preserveValueOnDeletion) public var name: String
    public var destination: String
    @Attribute(.preserveValueOnDeletion) public var startDate: Date
    @Attribute(.preserveValueOnDeletion) public var endDate: Date
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) public var bucketList: [BucketListItem] = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    public var livingAccommodation: LivingAccommodation?

    public init(name: String, destination: String, startDate: Date, endDate: Date) {
        self.name = name
        self.destination = destination
        self.startDate = startDate
        self.endDate = endDate
    }
}
