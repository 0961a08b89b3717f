/// A to-many relationship that was changed in place.
struct UnverifiedList {
    let model: any PersistentModel
    let property: Schema.Property
    let list: ToManyList
}

struct PendingModel {
    let model: any PersistentModel
    /// Stored to avoid a call through the protocol. The model owns the backing data.
    let unmanagedBacking: Unmanaged<AnyBackingData>

    init(model: any PersistentModel, backing: AnyBackingData) {
        self.model = model
        unmanagedBacking = .passUnretained(backing)
    }

    var backing: AnyBackingData { unmanagedBacking.takeUnretainedValue() }
}

struct ModelSet {
    private(set) var models: [any PersistentModel] = []
    private var members: Set<ObjectIdentifier> = []

    mutating func insert(_ model: any PersistentModel) {
        if members.insert(ObjectIdentifier(model)).inserted { models.append(model) }
    }
}
