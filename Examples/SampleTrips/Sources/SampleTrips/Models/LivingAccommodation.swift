import Chronicle

/// Where to stay on a trip.
public final class LivingAccommodation: PersistentModel {
    @Attribute public var placeName: String
    @Attribute public var isConfirmed: Bool = false
    @Relationship public var trip: Trip?

    public static let properties: PropertyMap<LivingAccommodation> = [
        "placeName": \.placeName, "isConfirmed": \.isConfirmed, "trip": \.trip,
    ]
    public let persistentBackingData: BackingData
    public init(backingData: BackingData) { persistentBackingData = backingData }

    public init(placeName: String) {
        persistentBackingData = BackingData()
        self.placeName = placeName
    }
}
