import Chronicle
import Foundation

final class Trip: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var destination: String
    @Attribute(.preserveValueOnDeletion) var startDate: Date
    @Attribute(.preserveValueOnDeletion) var endDate: Date
    @Attribute var note: String?
    @Attribute var tags: [String] = []
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip) var livingAccommodation:
        LivingAccommodation?

    static let properties: PropertyMap<Trip> = [
        "name": \.name, "destination": \.destination, "startDate": \.startDate, "endDate": \.endDate, "note": \.note,
        "tags": \.tags, "bucketList": \.bucketList, "livingAccommodation": \.livingAccommodation,
    ]
    static let uniqueness: Uniqueness<Trip> = [[\.name, \.startDate, \.endDate]]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
        persistentBackingData = BackingData()
        self.name = name
        self.destination = destination
        self.startDate = startDate
        self.endDate = endDate
    }
}

final class BucketListItem: PersistentModel {
    @Attribute var title: String
    @Attribute var isDone: Bool = false
    @Relationship var trip: Trip?
    static let properties: PropertyMap<BucketListItem> = ["title": \.title, "isDone": \.isDone, "trip": \.trip]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(title: String) {
        persistentBackingData = BackingData()
        self.title = title
    }
}

final class LivingAccommodation: PersistentModel {
    @Attribute var placeName: String
    @Attribute var isConfirmed: Bool = false
    @Relationship var trip: Trip?
    static let properties: PropertyMap<LivingAccommodation> = [
        "placeName": \.placeName, "isConfirmed": \.isConfirmed, "trip": \.trip,
    ]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }
    init(placeName: String) {
        persistentBackingData = BackingData()
        self.placeName = placeName
    }
}
