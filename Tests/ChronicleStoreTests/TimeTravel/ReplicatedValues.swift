import Chronicle
import Foundation

/// A model with every form of stored value.
@Model final class ReplicatedValues {
    struct Place: Codable, Hashable, Sendable {
        var city: String
        var zip: Int?
    }

    var name: String
    var number = 0
    var real = 0.0
    var small: Float?
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var data: Data?
    var place: Place?
    var tags: [String] = []
    var key: UUID?
    var price: Decimal?
    init(_ name: String) { self.name = name }
}
