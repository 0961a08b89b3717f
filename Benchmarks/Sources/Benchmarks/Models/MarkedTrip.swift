import Chronicle
import Foundation

/// The same model as ``Trip``, declared with the macro.
@Model
final class MarkedTrip {
    @Attribute(.preserveValueOnDeletion) var name: String
    var destination: String
    var note: String?
    @Attribute(.preserveValueOnDeletion) var startDate: Date
    @Attribute(.preserveValueOnDeletion) var endDate: Date
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
