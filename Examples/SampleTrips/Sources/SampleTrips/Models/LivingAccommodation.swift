import Chronicle

/// The accommodation of a trip.
@Model
public final class LivingAccommodation {
    public var placeName: String
    public var isConfirmed: Bool = false
    public var trip: Trip?

    public init(placeName: String) {
        self.placeName = placeName
    }
}
