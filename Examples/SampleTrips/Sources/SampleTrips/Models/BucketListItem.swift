import Chronicle

/// Something to do on a trip.
public final class BucketListItem: PersistentModel {
    @Attribute public var title: String
    @Attribute public var isDone: Bool = false
    @Relationship public var trip: Trip?

    public static let properties: PropertyMap<BucketListItem> = [
        "title": \.title, "isDone": \.isDone, "trip": \.trip,
    ]
    public let persistentBackingData: BackingData
    public init(backingData: BackingData) { persistentBackingData = backingData }

    public init(title: String) {
        persistentBackingData = BackingData()
        self.title = title
    }
}
