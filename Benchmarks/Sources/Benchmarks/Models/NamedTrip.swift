import Chronicle
import Foundation

/// The same attributes as ``Trip``, with a unique name.
@Model
final class NamedTrip {
    @Attribute(.unique) var name: String
    var destination: String
    var note: String?
    var startDate: Date
    var endDate: Date
    var nights: Int
    var rating: Int
    var isBooked: Bool

    init(_ sample: SampleTrip) {
        name = sample.name
        destination = sample.destination
        startDate = sample.startDate
        endDate = sample.endDate
        nights = sample.nights
        rating = sample.rating
        isBooked = sample.isBooked
    }
}
