package import Chronicle
package import Foundation

package final class Trip: PersistentModel {
    @Attribute(.preserveValueOnDeletion) package var name: String
    @Attribute package var destination: String
    @Attribute(.preserveValueOnDeletion) package var startDate: Date
    @Attribute(.preserveValueOnDeletion) package var endDate: Date
    @Attribute package var note: String?
    @Attribute package var tags: [String] = []
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) package var bucketList: [BucketListItem]
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip) package var livingAccommodation:
        LivingAccommodation?

    package static let properties: PropertyMap<Trip> = [
        "name": \.name, "destination": \.destination, "startDate": \.startDate, "endDate": \.endDate, "note": \.note,
        "tags": \.tags, "bucketList": \.bucketList, "livingAccommodation": \.livingAccommodation,
    ]
    package static let uniqueness: Uniqueness<Trip> = [[\.name, \.startDate, \.endDate]]
    package let persistentBackingData: any BackingData<Trip>
    package init(backingData: any BackingData<Trip>) { persistentBackingData = backingData }

    package init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
        persistentBackingData = Trip.createBackingData()
        self.name = name
        self.destination = destination
        self.startDate = startDate
        self.endDate = endDate
    }
}

package final class BucketListItem: PersistentModel {
    @Attribute package var title: String
    @Attribute package var isDone: Bool = false
    @Relationship package var trip: Trip?
    package static let properties: PropertyMap<BucketListItem> = ["title": \.title, "isDone": \.isDone, "trip": \.trip]
    package let persistentBackingData: any BackingData<BucketListItem>
    package init(backingData: any BackingData<BucketListItem>) { persistentBackingData = backingData }
    package init(title: String) {
        persistentBackingData = BucketListItem.createBackingData()
        self.title = title
    }
}

package final class LivingAccommodation: PersistentModel {
    @Attribute package var placeName: String
    @Attribute package var isConfirmed: Bool = false
    @Relationship package var trip: Trip?
    package static let properties: PropertyMap<LivingAccommodation> = [
        "placeName": \.placeName, "isConfirmed": \.isConfirmed, "trip": \.trip,
    ]
    package let persistentBackingData: any BackingData<LivingAccommodation>
    package init(backingData: any BackingData<LivingAccommodation>) { persistentBackingData = backingData }
    package init(placeName: String) {
        persistentBackingData = LivingAccommodation.createBackingData()
        self.placeName = placeName
    }
}
