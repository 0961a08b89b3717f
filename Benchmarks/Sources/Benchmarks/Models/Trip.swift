import Chronicle
import Foundation

/// Eight attributes: three strings (one of them always nil), two dates, two integers, and a Bool. Three of them are
/// preserved on deletion, so that the measurements include tombstones.
final class Trip: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute var destination: String
    @Attribute var note: String?
    @Attribute(.preserveValueOnDeletion) var startDate: Date
    @Attribute(.preserveValueOnDeletion) var endDate: Date
    @Attribute var nights: Int
    @Attribute var rating: Int
    @Attribute var isBooked: Bool

    static let properties: PropertyMap<Trip> = [
        "name": \.name, "destination": \.destination, "note": \.note, "startDate": \.startDate, "endDate": \.endDate,
        "nights": \.nights, "rating": \.rating, "isBooked": \.isBooked,
    ]
    let persistentBackingData: any BackingData<Trip>
    init(backingData: any BackingData<Trip>) { persistentBackingData = backingData }

    init(_ sample: SampleTrip) {
        persistentBackingData = Trip.createBackingData()
        name = sample.name
        destination = sample.destination
        startDate = sample.startDate
        endDate = sample.endDate
        nights = sample.nights
        rating = sample.rating
        isBooked = sample.isBooked
    }
}
