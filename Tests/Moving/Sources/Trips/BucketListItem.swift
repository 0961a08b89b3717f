import Foundation
import SwiftData

@Model
public class BucketListItem {
    @Attribute(.unique) public var id: UUID
    public var title: String
    public var details: String
    public var hasReservation: Bool
    public var isInPlan: Bool
    public private(set) var completedOn: Date?
    public var tags: [String] = []
    public var trip: Trip?

    public init(title: String, details: String = "", hasReservation: Bool = false, isInPlan: Bool = false) {
        self.id = UUID()
        self.title = title
        self.details = details
        self.hasReservation = hasReservation
        self.isInPlan = isInPlan
    }

    public func complete(on date: Date = .now) {
        completedOn = date
    }
}
