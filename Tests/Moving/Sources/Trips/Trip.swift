import Foundation
import SwiftData

@Model
public final class Trip {
    #Unique<Trip>([\.name, \.startDate, \.endDate])
    #Index<Trip>([\.name], [\.name, \.startDate])

    @Attribute(.preserveValueOnDeletion) public var name: String
    public var destination: String
    @Attribute(.preserveValueOnDeletion) public var startDate: Date
    @Attribute(.preserveValueOnDeletion) public var endDate: Date
    public var notes: String?
    public var kind: Kind = Kind.personal
    public var budget: Decimal = 0

    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
    public var bucketList: [BucketListItem] = [BucketListItem]()

    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    public var livingAccommodation: LivingAccommodation?

    @Transient public var isHighlighted = false

    public var days: Int { Calendar.current.dateComponents([.day], from: startDate, to: endDate).day ?? 0 }

    public init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
        self.name = name
        self.destination = destination
        self.startDate = startDate
        self.endDate = endDate
    }
}

extension Trip {
    public enum Kind: String, Codable, CaseIterable {
        case personal, business
    }
}
