import Chronicle
import SampleTrips

/// A model that the index contains.
protocol SearchableModel: PersistentModel {
    /// The kind of the model's document.
    static var kind: Document.Kind { get }
    var title: String { get }
    var detail: String { get }
}

extension Trip: SearchableModel {
    static var kind: Document.Kind { .trip }
    var title: String { name }
    var detail: String { destination }
}

extension BucketListItem: SearchableModel {
    static var kind: Document.Kind { .bucketListItem }
    var detail: String { "" }
}

extension LivingAccommodation: SearchableModel {
    static var kind: Document.Kind { .livingAccommodation }
    var title: String { placeName }
    var detail: String { "" }
}
