import Foundation
import SwiftData

@Model
final public class LivingAccommodation {
    public struct Address: Codable, Hashable, Sendable {
        public var street: String
        public var city: String

        public init(street: String, city: String) {
            self.street = street
            self.city = city
        }
    }

    @Attribute(originalName: "address_line") public var address: Address?
    public var placeName: String
    @Attribute(.externalStorage) public var photo: Data?
    var trip: Trip?

    public init(placeName: String, address: Address? = nil) {
        self.placeName = placeName
        self.address = address
    }
}
