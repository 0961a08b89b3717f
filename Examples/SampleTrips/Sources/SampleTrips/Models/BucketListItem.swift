import Chronicle

/// Something to do on a trip.
@Model
public final class BucketListItem {
    public var title: String
    public var isDone: Bool = false
    public var trip: Trip?

    public init(title: String) {
        self.title = title
    }
}
